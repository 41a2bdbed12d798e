import { useId, useRef, useState, type FormEvent } from 'react'
import { EVENT_TYPES, type EventType } from '../../../shared/contract/webhook.ts'
import { useClient } from '../../data/client.tsx'
import { useRefreshWebhooks } from '../../data/webhooks.ts'
import { Problem } from '../../parts/notes.tsx'
import { useUndo } from '../../state/undo.tsx'
import { FormField } from './form-field.tsx'
import {
  emptyFields,
  faultOfRegister,
  faultOfWebhook,
  registerInput,
  secretPrefix,
  type WebhookFault,
  type WebhookField,
  type WebhookFields,
} from './webhook-input.ts'
import { REGISTER as say } from './webhook-strings.ts'

function useRegister(namespace: string) {
  const client = useClient()
  const refresh = useRefreshWebhooks()
  const { say: announce } = useUndo()
  const [fields, setFields] = useState<WebhookFields>(() => emptyFields(namespace))
  const [fault, setFault] = useState<WebhookFault | null>(null)
  const [busy, setBusy] = useState(false)
  const change = (part: Partial<WebhookFields>): void => {
    setFault(null)
    setFields((before) => ({ ...before, ...part }))
  }
  const submit = async (): Promise<boolean> => {
    if (busy) return true
    const found = faultOfWebhook(fields)
    setFault(found)
    if (found) return false
    setBusy(true)
    try {
      const { url, replaced } = await client.webhook.register(registerInput(namespace, fields))
      announce({ subject: url, said: replaced ? say.replaced : say.registered })
      setFields(emptyFields(namespace))
      await refresh()
      return true
    } catch (error) {
      setFault(faultOfRegister(error))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { fields, fault, busy, change, submit }
}

/** One address more, or another choice for one that is there. */
export function WebhookForm({ namespace }: { namespace: string }) {
  const { fields, fault, busy, change, submit } = useRegister(namespace)
  const form = useRef<HTMLFormElement>(null)
  const problem = (field: WebhookField): string => (fault?.field === field ? fault.text : '')

  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (await submit()) return
    // Where something is wrong, the focus goes to it.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  return (
    <section className="part" aria-labelledby="register-webhook">
      <h2 className="h3" id="register-webhook">
        {say.title}
      </h2>
      <form className="form" ref={form} noValidate onSubmit={(event) => void send(event)}>
        <FormField
          label={say.url}
          value={fields.url}
          problem={problem('url')}
          mono
          placeholder="https://"
          hint={say.urlHint}
          onChange={(url) => change({ url })}
        />
        <FormField
          label={say.secret}
          value={fields.secretRef}
          problem={problem('secretRef')}
          mono
          hint={say.secretHint(secretPrefix(namespace))}
          onChange={(secretRef) => change({ secretRef })}
        />
        <Kinds chosen={fields.events} problem={problem('events')} onChange={(events) => change({ events })} />
        <Problem text={fault?.field === null ? fault.text : ''} />
        <div className="acts">
          <button type="submit" className="btn pri" aria-disabled={busy}>
            {busy ? say.going : say.go}
          </button>
        </div>
      </form>
    </section>
  )
}

interface KindsProps {
  readonly chosen: ReadonlySet<EventType>
  readonly problem: string
  readonly onChange: (chosen: ReadonlySet<EventType>) => void
}

function Kinds({ chosen, problem, onChange }: KindsProps) {
  const id = useId()
  return (
    <fieldset className="kinds" aria-describedby={problem ? id : undefined}>
      <legend className="label">{say.events}</legend>
      {EVENT_TYPES.map((type) => (
        <label key={type} className="tick">
          <input
            type="checkbox"
            checked={chosen.has(type)}
            aria-invalid={problem !== ''}
            onChange={(event) => onChange(new Set(EVENT_TYPES.filter((one) => (one === type ? event.target.checked : chosen.has(one)))))}
          />
          {say.kinds[type]}
        </label>
      ))}
      {problem && (
        <p id={id} className="problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  )
}
