import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import type { Backup } from '../../data/backups.ts'
import { useClient } from '../../data/client.tsx'
import { isConnected, useSync } from '../../data/sync.ts'
import { Problem } from '../../parts/notes.tsx'
import { locale } from '../../state/locale.ts'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { dateAndTime } from '../../text/when.ts'
import { LeavableForm } from './leavable-form.tsx'
import { RESTORE as say } from './computer-strings.ts'

/** What a restore does is said, and agreed to, before it is done. */
export function RestoreForm({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const client = useClient()
  const cache = useQueryClient()
  const { say: announce } = useUndo()
  const { data: status } = useSync()
  const [ticked, setTicked] = useState(false)
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.focus(), [])

  const restore = async (): Promise<void> => {
    setBusy(true)
    setFault('')
    try {
      const { backup_id } = backup
      const { rows } = await client.backup.restore({ backup_id, confirm: backup_id })
      announce({ said: say.done(rows) })
      onClose()
      // Everything on the screen is of the store that is gone.
      await cache.invalidateQueries()
    } catch (error) {
      setFault(say.refused(messageOf(error)))
      setBusy(false)
    }
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (busy) return
    if (ticked) void restore()
    else setFault(say.mustTick)
  }
  return (
    <LeavableForm className="card restore" aria-labelledby="restore-title" onSubmit={submit} onLeave={() => busy || onClose()}>
      <h2 id="restore-title">{say.title(dateAndTime(backup.created_at, locale))}</h2>
      <p>
        {say.lead} {isConnected(status) ? say.team : ''} {say.erased}
      </p>
      <label className="tick">
        <input
          ref={box}
          type="checkbox"
          checked={ticked}
          onChange={(event) => {
            setTicked(event.target.checked)
            setFault('')
          }}
        />
        {say.confirm}
      </label>
      <Problem text={fault} />
      <div className="acts">
        <button type="submit" className="btn danger" aria-disabled={busy}>
          {busy ? say.going : say.go}
        </button>
        <button type="button" className="btn" aria-disabled={busy} onClick={() => busy || onClose()}>
          {say.cancel} <kbd aria-hidden="true">Esc</kbd>
        </button>
        {busy && (
          <span className="s q" role="status">
            {say.wait}
          </span>
        )}
      </div>
    </LeavableForm>
  )
}
