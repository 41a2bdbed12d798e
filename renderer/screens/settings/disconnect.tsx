import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { useClient } from '../../data/client.tsx'
import { refreshItems } from '../../data/items.ts'
import { refreshMemory } from '../../data/queries.ts'
import { refreshSync, type SyncStatus } from '../../data/sync.ts'
import { Problem } from '../../parts/notes.tsx'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { serverName } from '../../text/sync-words.ts'
import { LeavableForm, useFocusBack } from './leavable-form.tsx'
import { DISCONNECT as say } from './strings.ts'

/** Leaving the team: what it does is said before it is done. */
export function Disconnect({ status }: { status: SyncStatus }) {
  const [open, setOpen] = useState(false)
  const start = useFocusBack(open)
  return (
    <section className="part" aria-labelledby="disconnect">
      <h2 className="h3" id="disconnect">
        {say.title}
      </h2>
      <p className="q">{say.lead}</p>
      {open ? (
        <Form status={status} onCancel={() => setOpen(false)} />
      ) : (
        <div className="acts">
          <button type="button" className="btn" ref={start} onClick={() => setOpen(true)}>
            {say.start}
          </button>
        </div>
      )}
    </section>
  )
}

function useDisconnect(status: SyncStatus) {
  const client = useClient()
  const cache = useQueryClient()
  const { say: announce } = useUndo()
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const send = async (keepRows: boolean, discard: boolean): Promise<void> => {
    if (busy) return
    setBusy(true)
    setFault('')
    try {
      const answer = await client.sync.disconnect({ keep_rows: keepRows, discard_queue: discard })
      const server = serverName(status.server_url)
      const done = keepRows ? say.kept(server) : say.deleted(server, answer.rows_removed)
      announce({ said: answer.disconnected ? done : say.was })
      await refreshSync(cache)
      refreshItems(cache)
      refreshMemory(cache, null)
    } catch (error) {
      setFault(say.refused(messageOf(error)))
      // What refused it may be a change made since: the count shown must be the one that holds.
      await refreshSync(cache)
    } finally {
      setBusy(false)
    }
  }
  return { busy, fault, setFault, send }
}

function Form({ status, onCancel }: { status: SyncStatus; onCancel: () => void }) {
  const [keep, setKeep] = useState(true)
  const [discard, setDiscard] = useState(false)
  const { busy, fault, setFault, send } = useDisconnect(status)
  const first = useRef<HTMLInputElement>(null)
  const held = status.shapes.find((shape) => shape.table === 'memory')?.rows ?? 0
  useEffect(() => first.current?.focus(), [])

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (status.queued > 0 && !discard) setFault(say.mustDecide)
    else void send(keep, discard)
  }
  return (
    <LeavableForm className="form leave" onSubmit={submit} onLeave={onCancel}>
      <fieldset className="options">
        <legend className="label">{say.rows}</legend>
        <Option name={say.keep} what={say.keepWhat} checked={keep} inputRef={first} onChoose={() => setKeep(true)} />
        <Option name={say.drop} what={say.dropWhat(held)} checked={!keep} onChoose={() => setKeep(false)} />
      </fieldset>
      {status.queued > 0 && (
        <div className="note warn block">
          <p>{say.unsent(status.queued)}</p>
          <label className="tick">
            <input
              type="checkbox"
              checked={discard}
              onChange={(event) => {
                setDiscard(event.target.checked)
                setFault('')
              }}
            />
            {say.discard(status.queued)}
          </label>
        </div>
      )}
      <Problem text={fault} />
      <div className="acts">
        <button type="submit" className="btn danger" aria-disabled={busy}>
          {busy ? say.going : keep ? say.go : say.goAndDelete(held)}
        </button>
        <button type="button" className="btn" onClick={onCancel}>
          {say.cancel} <kbd aria-hidden="true">Esc</kbd>
        </button>
      </div>
    </LeavableForm>
  )
}

interface OptionProps {
  readonly name: string
  readonly what: string
  readonly checked: boolean
  readonly inputRef?: React.Ref<HTMLInputElement>
  readonly onChoose: () => void
}

function Option({ name, what, checked, inputRef, onChoose }: OptionProps) {
  return (
    <label className={checked ? 'option on' : 'option'}>
      <input type="radio" name="team-rows" ref={inputRef} checked={checked} onChange={onChoose} />
      <b>{name}</b>
      <span>{what}</span>
    </label>
  )
}
