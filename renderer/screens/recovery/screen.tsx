import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { RecoverySurvey, RecoveryView } from '../../../shared/contract/recovery.ts'
import { locale } from '../../state/locale.ts'
import { askShell } from '../../state/shell.ts'
import { dateAndTime, fullDate } from '../../text/when.ts'
import { RECOVERY as say } from './strings.ts'
import { useRecover, useSurvey } from './use-recovery.ts'

type Backup = RecoveryView['backups'][number]

/** In place of the window while the database cannot be opened: what happened, and every way on. */
export function RecoveryScreen({ view }: { view: RecoveryView }) {
  const survey = useSurvey()
  const { working, said, act } = useRecover()
  const [choosing, setChoosing] = useState(false)
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    document.title = say.document
    first.current?.focus()
  }, [])
  const [newest, ...others] = view.backups.filter((backup) => !backup.damaged)
  const busy = working !== null
  const restore = (backup: Backup): void => void act('restore', { backup_id: backup.backup_id })
  return (
    <main className="recovery" aria-busy={busy}>
      <div>
        <h1>{say.title}</h1>
        <p className="lead">
          {view.fault.sentence} {say.kept} {view.written_at && say.written(dateAndTime(view.written_at, locale))}
        </p>
      </div>
      <ul className="choices" aria-label={say.ways}>
        <Way name={say.newest} what={newest ? newestWords(newest, survey) : say.noBackup}>
          <button ref={first} type="button" className="btn pri" disabled={busy || !newest} onClick={() => newest && restore(newest)}>
            {say.restore}
          </button>
        </Way>
        <Way name={say.another} what={othersWords(others)}>
          <button
            type="button"
            className="btn"
            disabled={busy || others.length === 0}
            aria-expanded={choosing}
            onClick={() => setChoosing(!choosing)}
          >
            {say.choose}
          </button>
          {choosing && <Others backups={view.backups.filter((one) => one !== newest)} busy={busy} onRestore={restore} />}
        </Way>
        <Way name={say.exportIt} what={readableWords(survey)}>
          <button type="button" className="btn" disabled={busy} onClick={() => void act('export')}>
            {say.exportGo}
          </button>
        </Way>
        <Way name={say.fresh} what={say.freshWhat}>
          <button type="button" className="btn" disabled={busy} onClick={() => void act('fresh')}>
            {say.freshGo}
          </button>
        </Way>
      </ul>
      <p className={said.failed ? 'said bad' : 'said'} role="status">
        {working ? say.working[working] : said.words}
      </p>
      <div className="foot-words">
        <span>{say.stay}</span>
        <span className="acts">
          <button type="button" className="link" disabled={busy} onClick={() => void act('retry')}>
            {say.retry}
          </button>
          <button type="button" className="link" onClick={() => void askShell('shell.recover', { do: 'show_folder' }).catch(() => {})}>
            {say.folder}
          </button>
        </span>
        <details>
          <summary>{say.detail}</summary>
          <pre dir="auto">{`${view.folder}\n${view.fault.detail}`}</pre>
        </details>
      </div>
    </main>
  )
}

function Way({ name, what, children }: { name: string; what: string; children: ReactNode }) {
  return (
    <li>
      <h2>{name}</h2>
      <p>{what}</p>
      {children}
    </li>
  )
}

function newestWords(newest: Backup, survey: RecoverySurvey | null | 'unknown'): string {
  const when = dateAndTime(newest.created_at, locale)
  if (survey === null) return `${say.holds(when, null)} ${say.counting}`
  const known = survey !== 'unknown' && survey.backup_id === newest.backup_id ? survey : null
  return `${say.holds(when, known?.rows ?? null)} ${say.lacks(known?.newer ?? null, known?.on_server ?? null)}`
}

function othersWords(others: readonly Backup[]): string {
  const oldest = others.at(-1)
  return oldest ? say.others(others.length, fullDate(oldest.created_at, locale)) : say.noOther
}

function readableWords(survey: RecoverySurvey | null | 'unknown'): string {
  if (survey === null || survey === 'unknown') return say.unread
  return survey.readable === null ? say.none : say.about(survey.readable)
}

interface OthersProps {
  readonly backups: readonly Backup[]
  readonly busy: boolean
  readonly onRestore: (backup: Backup) => void
}

function Others({ backups, busy, onRestore }: OthersProps) {
  return (
    <ul className="others" aria-label={say.list}>
      {backups.map((backup) => {
        const when = dateAndTime(backup.created_at, locale)
        return (
          <li key={backup.backup_id}>
            <time dateTime={backup.created_at}>{when}</time>
            <span>
              <bdi>{backup.label}</bdi>
            </span>
            {backup.damaged ? (
              <b className="bad">{say.damaged}</b>
            ) : (
              <button type="button" className="btn sm" disabled={busy} aria-label={say.restoreOf(when)} onClick={() => onRestore(backup)}>
                {say.restore}
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
