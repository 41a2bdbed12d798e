import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { EVENT_TYPES } from '../../../shared/contract/webhook.ts'
import { useClient } from '../../data/client.tsx'
import { useRefreshWebhooks, type Webhook } from '../../data/webhooks.ts'
import { FactList } from '../../parts/fact-list.tsx'
import { Problem } from '../../parts/notes.tsx'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { LeavableForm, useFocusBack } from './leavable-form.tsx'
import { REGISTER, WEBHOOK as say } from './webhook-strings.ts'
import { outcomeWords, reasonWords } from './webhook-words.ts'

/** One address: what it takes, whether the server can sign for it, and how the last attempt went. */
export function WebhookCard({ webhook }: { webhook: Webhook }) {
  const [removing, setRemoving] = useState(false)
  const { busy, said, send } = useTest(webhook)
  const start = useFocusBack(removing)
  return (
    <li className="card webhook">
      <h2>
        <bdi>{webhook.url}</bdi>
      </h2>
      <Facts webhook={webhook} />
      {removing ? (
        <RemoveForm webhook={webhook} onClose={() => setRemoving(false)} />
      ) : (
        <div className="acts">
          <button type="button" className="btn sm" aria-disabled={busy} aria-label={say.testOf(webhook.url)} onClick={() => void send()}>
            {busy ? say.testing : say.test}
          </button>
          <button type="button" className="btn sm" ref={start} aria-label={say.removeOf(webhook.url)} onClick={() => setRemoving(true)}>
            {say.remove}
          </button>
        </div>
      )}
      <div className="webhook-said" role="status">
        {said && (
          <p className={said.ok ? 'note' : 'note bad'}>
            <span>{said.text}</span>
          </p>
        )}
      </div>
    </li>
  )
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { events, secret_ref, secret_present, pending, last_status, last_error } = webhook
  const takes = events.length === EVENT_TYPES.length ? say.all : events.map((type) => REGISTER.kinds[type]).join(', ')
  const attempted = last_status !== null || last_error !== ''
  const failed = last_error !== '' || (last_status ?? 200) >= 300
  const lines: [string, ReactNode][] = [
    [
      say.secret,
      <span key="secret" className="stack">
        <span className={secret_present ? 'webhook-state' : 'webhook-state warn'}>
          <span className={secret_present ? 'dot' : 'dot warn'} aria-hidden="true" />
          {secret_present ? say.present : say.missing}
        </span>
        <code>{secret_ref}</code>
      </span>,
    ],
    [say.takes, takes],
    [say.waiting, pending === 0 ? say.nothing : say.pending(pending)],
    [
      say.latest,
      attempted ? (
        <bdi key="latest" className={failed ? 'bad' : undefined}>
          {failed ? outcomeWords(last_status, last_error) : `${say.ok}, ${String(last_status)}`}
        </bdi>
      ) : (
        say.noneYet
      ),
    ],
  ]
  return <FactList lines={lines} className="facts" />
}

/** One signed test event, now; what the receiver answered stays in sight. */
function useTest({ namespace, webhook_id }: Webhook) {
  const client = useClient()
  const [busy, setBusy] = useState(false)
  const [said, setSaid] = useState<{ readonly ok: boolean; readonly text: string } | null>(null)
  const send = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    setSaid(null)
    try {
      const { delivered, status, error, duration_ms } = await client.webhook.test({ namespace, webhook_id })
      setSaid(
        delivered
          ? { ok: true, text: say.took(status ?? 200, duration_ms) }
          : { ok: false, text: say.refusedIt(error === '' ? outcomeWords(status, '') : reasonWords(error)) },
      )
    } catch (error) {
      setSaid({ ok: false, text: say.notSent(messageOf(error)) })
    } finally {
      setBusy(false)
    }
  }
  return { busy, said, send }
}

/** What a removal does is said before it is done. */
function RemoveForm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const client = useClient()
  const refresh = useRefreshWebhooks()
  const { say: announce } = useUndo()
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const keep = useRef<HTMLButtonElement>(null)
  useEffect(() => keep.current?.focus(), [])
  const { namespace, webhook_id, url, pending } = webhook

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setFault('')
    try {
      const { pending_dropped } = await client.webhook.remove({ namespace, webhook_id })
      announce({ subject: url, said: say.removed(pending_dropped) })
      await refresh()
    } catch (error) {
      setFault(say.notRemoved(messageOf(error)))
      setBusy(false)
    }
  }
  return (
    <LeavableForm
      className="form"
      aria-label={say.removeTitle(url)}
      onSubmit={(event) => void submit(event)}
      onLeave={() => busy || onClose()}
    >
      <p>
        {say.removeLead} {pending > 0 && say.dropped(pending)}
      </p>
      <Problem text={fault} />
      <div className="acts">
        <button type="submit" className="btn sm danger" aria-disabled={busy}>
          {busy ? say.going : say.go}
        </button>
        <button type="button" className="btn sm" ref={keep} aria-disabled={busy} onClick={() => busy || onClose()}>
          {say.keep} <kbd aria-hidden="true">Esc</kbd>
        </button>
      </div>
    </LeavableForm>
  )
}
