import { useRef, useState } from 'react'
import type { BackupProgress } from '../../../shared/contract/ops/backup/create.ts'
import { useRefreshBackups, useBackups, type Backup } from '../../data/backups.ts'
import { useClient } from '../../data/client.tsx'
import { useSettings } from '../../data/settings.ts'
import { useMaySync } from '../../data/sync.ts'
import { Unread } from '../../parts/notes.tsx'
import { locale } from '../../state/locale.ts'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { sizeOf } from '../../text/size.ts'
import { dateAndTime } from '../../text/when.ts'
import { BACKUPS as say } from './computer-strings.ts'
import { OfAnother } from './computer.tsx'
import { FormField } from './form-field.tsx'
import { RestoreForm } from './restore-form.tsx'
import { TypedSetting } from './setting-line.tsx'

/** The ring of backups: what is in it, one more, and the way back. */
export function BackupsSection() {
  const may = useMaySync()
  const { data: backups, error, refetch } = useBackups()
  const { data: settings } = useSettings()
  const [restoring, setRestoring] = useState<Backup | null>(null)
  if (may === false) return <OfAnother />
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <p className="lead">{say.lead}</p>
      <MakeForm />
      {restoring && <RestoreForm key={restoring.backup_id} backup={restoring} onClose={() => setRestoring(null)} />}
      {backups ? (
        <List backups={backups} onRestore={setRestoring} />
      ) : error ? (
        <Unread text={`${say.failed} ${error.message}`} onRetry={() => void refetch()} />
      ) : (
        <p className="q">{say.loading}</p>
      )}
      {settings && (
        <section className="part" aria-label={say.keep}>
          <TypedSetting setting={settings['backup.auto_hours']} label={say.hours} hint={say.hoursHint} />
          <TypedSetting setting={settings['backup.keep']} label={say.keep} hint={say.keepHint} />
        </section>
      )}
    </>
  )
}

function MakeForm() {
  const client = useClient()
  const refresh = useRefreshBackups()
  const { say: announce } = useUndo()
  const [label, setLabel] = useState('')
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const [told, setTold] = useState<BackupProgress | null>(null)
  // Not ended when the person goes elsewhere: the backup goes on.
  const running = useRef<AbortController | null>(null)
  const make = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    setFault('')
    setTold(null)
    const stop = new AbortController()
    running.current = stop
    try {
      const progress = (step: Record<string, unknown>): void => setTold(step as BackupProgress)
      const made = await client.backup.create({ label: label.trim() }, { signal: stop.signal, progress })
      setLabel('')
      announce({ said: say.made(sizeOf(made.bytes, locale)) })
    } catch (error) {
      if (stop.signal.aborted) announce({ said: say.ended })
      else setFault(say.notMade(messageOf(error)))
    } finally {
      setBusy(false)
      await refresh()
    }
  }
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <FormField label={say.label} value={label} hint={say.labelHint} problem={fault} onChange={setLabel} />
      <div className="acts">
        <button type="submit" className="btn pri" aria-disabled={busy}>
          {busy ? say.making : say.make}
        </button>
        {busy && (
          <button type="button" className="btn" onClick={() => running.current?.abort()}>
            {say.cancel}
          </button>
        )}
      </div>
      {busy && <Making told={told} />}
    </form>
  )
}

/** How far it is: by bytes, where there are any to count. */
function Making({ told }: { told: BackupProgress | null }) {
  const counts = told !== null && told.bytes_total > 0
  return (
    <div className="import-progress">
      <progress aria-label={say.progress} {...(counts && { max: told.bytes_total, value: told.bytes_done })} />
      <p className="s q" role="status">
        {told === null
          ? say.making
          : counts
            ? say.step(told.step, sizeOf(told.bytes_done, locale), sizeOf(told.bytes_total, locale))
            : say.steps[told.step]}
      </p>
    </div>
  )
}

function List({ backups, onRestore }: { backups: readonly Backup[]; onRestore: (backup: Backup) => void }) {
  if (backups.length === 0) {
    return (
      <section className="part" aria-labelledby="no-backup">
        <h2 className="h3" id="no-backup">
          {say.none}
        </h2>
        <p className="q">{say.noneNext}</p>
      </section>
    )
  }
  return (
    <section className="part" aria-labelledby="backup-list">
      <h2 className="h3" id="backup-list">
        {say.list}
      </h2>
      <table className="table backups">
        <thead>
          <tr>
            <th scope="col">{say.when}</th>
            <th scope="col">{say.what}</th>
            <th scope="col" className="r">
              {say.size}
            </th>
            <th scope="col">
              <span className="sr">{say.act}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {backups.map((backup) => {
            const when = dateAndTime(backup.created_at, locale)
            return (
              <tr key={backup.backup_id}>
                <td>
                  <time dateTime={backup.created_at}>{when}</time>
                </td>
                <td>
                  {say.kinds[backup.kind]}{' '}
                  {backup.damaged ? (
                    <b className="bad"> {say.damaged}</b>
                  ) : (
                    backup.label && <bdi className="label-of">{say.ofLabel(backup.kind, backup.label)}</bdi>
                  )}
                </td>
                <td className="r">{sizeOf(backup.bytes, locale)}</td>
                <td className="r">
                  {!backup.damaged && (
                    <button type="button" className="btn sm" aria-label={say.restoreOf(when)} onClick={() => onRestore(backup)}>
                      {say.restore}
                    </button>
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
