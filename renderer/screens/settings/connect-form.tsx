import { useRef, type FormEvent } from 'react'
import { Problem } from '../../parts/notes.tsx'
import { isUnencrypted, serverOf, type ConnectField } from './connect-input.ts'
import { FormField } from './form-field.tsx'
import { CONNECT as say } from './strings.ts'
import { useConnect } from './use-connect.ts'

/** From a pairing link to a team. */
export function ConnectForm() {
  const { fields, fault, busy, change, submit } = useConnect()
  const form = useRef<HTMLFormElement>(null)
  const server = serverOf(fields)
  const problem = (field: ConnectField): string => (fault?.field === field ? fault.text : '')

  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const found = await submit()
    // Where something is wrong, the focus goes to it.
    if (found?.field) requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  return (
    <form className="form" ref={form} noValidate onSubmit={(event) => void send(event)}>
      {fields.byHand ? (
        <>
          <FormField
            label={say.server}
            value={fields.server}
            problem={problem('server')}
            mono
            placeholder="https://"
            onChange={(value) => change({ server: value })}
          />
          <FormField
            label={say.code}
            value={fields.code}
            problem={problem('code')}
            mono
            placeholder="XXXX-XXXX-XXXX"
            hint={say.linkHint}
            onChange={(value) => change({ code: value })}
          />
        </>
      ) : (
        <FormField
          label={say.link}
          value={fields.link}
          problem={problem('link')}
          mono
          placeholder="loom://pair?server=…&code=…"
          hint={server ? <LeadsTo server={server.host} /> : say.linkHint}
          onChange={(value) => change({ link: value })}
        />
      )}
      <p>
        <button type="button" className="link" onClick={() => change({ byHand: !fields.byHand })}>
          {fields.byHand ? say.byLink : say.byHand}
        </button>
      </p>
      {server && isUnencrypted(fields) && (
        <Unencrypted
          server={server.host}
          problem={problem('allowHttp')}
          allowed={fields.allowHttp}
          onAllow={(allowHttp) => change({ allowHttp })}
        />
      )}
      <div className="two">
        <FormField label={say.device} value={fields.device} hint={say.deviceHint} onChange={(value) => change({ device: value })} />
        <FormField
          label={say.callsGoTo}
          value={fields.useNamespace}
          problem={problem('useNamespace')}
          hint={say.callsGoToHint}
          onChange={(value) => change({ useNamespace: value })}
        />
      </div>
      <Problem text={fault?.field === null ? fault.text : ''} />
      <div className="acts">
        <button type="submit" className="btn pri" aria-disabled={busy}>
          {busy ? say.connecting : say.connect}
        </button>
      </div>
    </form>
  )
}

function LeadsTo({ server }: { server: string }) {
  const [before = '', after = ''] = say.leadsTo('\u0000').split('\u0000')
  return (
    <>
      {before}
      <b>
        <bdi>{server}</bdi>
      </b>
      {after}
    </>
  )
}

interface UnencryptedProps {
  readonly server: string
  readonly problem: string
  readonly allowed: boolean
  readonly onAllow: (allowed: boolean) => void
}

/** Asked for only where it is needed: an address of another machine that begins with http. */
function Unencrypted({ server, problem, allowed, onAllow }: UnencryptedProps) {
  return (
    <div className="note warn block">
      <b>{say.unencryptedTitle}</b>
      <p>{say.unencrypted(server)}</p>
      <label className="tick">
        <input type="checkbox" checked={allowed} aria-invalid={problem !== ''} onChange={(event) => onAllow(event.target.checked)} />
        {say.allowHttp}
      </label>
      {problem && <p role="alert">{problem}</p>}
    </div>
  )
}
