import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { useBeginErasure, usePreview, type AskedScope, type Org } from '../../data/erasure.ts'
import { useDebounced } from '../../state/debounced.ts'
import { locale } from '../../state/locale.ts'
import { scopeName } from '../../text/erasure-words.ts'
import { messageOf } from '../../text/message-of.ts'
import { FormField } from '../settings/form-field.tsx'
import { Counts } from './counts.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { readForm, mayAny, rightsIn, type ScopeForm } from './scope.ts'
import { ScopeFields } from './scope-fields.tsx'
import { ERASE as say, PRIVACY } from './strings.ts'

interface EraseSectionProps {
  readonly org: Org
  /** The choice between the orgs; null where there is one. */
  readonly where: ReactNode
  readonly isOffline: boolean
  readonly form: ScopeForm
  readonly requester: string
  readonly onForm: (form: ScopeForm) => void
  readonly onRequester: (requester: string) => void
  readonly onBegun: (erasureId: string) => void
  readonly onExport: () => void
  /** To the install's own org; left out where the person is there already. */
  readonly onHere?: () => void
}

const QUIET_MS = 400

/** Erase: whom or what, how thoroughly, what will go, and the name typed before it does. */
export function EraseSection(props: EraseSectionProps) {
  const { org, where, isOffline, onExport, onHere } = props
  const rights = rightsIn(org)
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <p className="lead">{org.isTeam ? say.leadTeam : say.leadHere}</p>
      {where}
      {!mayAny(rights) ? (
        <NotAllowed org={org} what="erase" {...(onHere && { onHere })} />
      ) : (
        <>
          {isOffline && (
            <p className="note warn" role="status">
              <span>{say.offline}</span>
              <button type="button" className="btn sm" onClick={onExport}>
                {say.toExport}
              </button>
            </p>
          )}
          <EraseForm {...props} />
        </>
      )}
    </>
  )
}

function EraseForm({ org, form, requester, onForm, onRequester, onBegun, onExport }: EraseSectionProps) {
  const [purge, setPurge] = useState(false)
  const { scope, phrase } = readForm(form)
  // What is typed is counted once it rests; what is erased is what stands there.
  const rested = useDebounced(scope === null ? '' : JSON.stringify(scope), QUIET_MS)
  const isRested = scope !== null && JSON.stringify(scope) === rested
  const counted = isRested ? (JSON.parse(rested) as AskedScope) : null
  const purges = purge && form.kind !== 'namespace'
  const preview = usePreview(org.org, counted, purges)
  return (
    <div className="form">
      <ScopeFields name="erase" org={org} rights={rightsIn(org)} form={form} onForm={onForm} />
      <Thoroughness
        purge={purges}
        mayPurge={form.kind !== 'namespace'}
        onPurge={setPurge}
        onSeveral={rightsIn(org).all ? () => onForm({ ...form, kind: 'namespace_list', several: form.namespace }) : null}
      />
      <FormField label={say.requester} value={requester} hint={say.requesterHint} onChange={onRequester} />
      <Counts preview={preview} isAsked={scope !== null} isTeam={org.isTeam} />
      <Confirm
        key={`${JSON.stringify(scope)}${purges}`}
        org={org}
        asked={counted && preview.data && !preview.error && !preview.isFetching ? { ...counted, purge: purges } : null}
        total={counted && preview.data ? preview.data.total : null}
        phrase={phrase}
        requester={requester.trim()}
        onBegun={onBegun}
      />
      {scope && (
        <p className="s q">
          {say.copyFirst}{' '}
          <button type="button" className="link" onClick={onExport}>
            {say.exportAll(scopeName(scope, locale))}
          </button>
        </p>
      )}
    </div>
  )
}

interface ThoroughnessProps {
  readonly purge: boolean
  readonly mayPurge: boolean
  readonly onPurge: (purge: boolean) => void
  /** Null where the person may not name several. */
  readonly onSeveral: (() => void) | null
}

function Thoroughness({ purge, mayPurge, onPurge, onSeveral }: ThoroughnessProps) {
  return (
    <fieldset className="options">
      <legend className="label">{say.how}</legend>
      <label className={purge ? 'option' : 'option on'}>
        <input type="radio" name="thoroughly" checked={!purge} onChange={() => onPurge(false)} />
        <b>{say.reach}</b>
        <span>{say.reachWhat}</span>
      </label>
      <div className="with-reason">
        <label className={mayPurge ? (purge ? 'option on' : 'option') : 'option off'}>
          <input type="radio" name="thoroughly" checked={purge} disabled={!mayPurge} onChange={() => onPurge(true)} />
          <b>{say.disk}</b>
          <span>{mayPurge ? say.diskWhat : say.diskNot}</span>
        </label>
        {!mayPurge && onSeveral && (
          <button type="button" className="link s" onClick={onSeveral}>
            {say.asSeveral}
          </button>
        )}
      </div>
    </fieldset>
  )
}

interface ConfirmProps {
  readonly org: Org
  /** Null until it is counted. */
  readonly asked: (AskedScope & { readonly purge: boolean }) | null
  readonly total: number | null
  readonly phrase: string
  readonly requester: string
  readonly onBegun: (erasureId: string) => void
}

function Confirm({ org, asked, total, phrase, requester, onBegun }: ConfirmProps) {
  const begin = useBeginErasure(org.org)
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => void (isHere.current = false)
  }, [])
  const isRight = phrase !== '' && typed.trim() === phrase
  const why =
    phrase === '' ? say.notYet : requester === '' ? say.noRequester : !isRight ? say.mistyped(phrase) : !asked ? say.waitForCount : ''

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (busy) return
    if (why !== '' || !asked) {
      setFault(why)
      input.current?.focus()
      return
    }
    setBusy(true)
    setFault('')
    try {
      const id = await begin({ ...asked, requester })
      // Whoever went elsewhere meanwhile stays there; the list has it.
      if (isHere.current) onBegun(id)
    } catch (error) {
      setFault(say.refused(messageOf(error)))
      setBusy(false)
    }
  }
  return (
    <form className="confirm" onSubmit={(event) => void submit(event)} aria-label={PRIVACY.erase}>
      <FormField
        ref={input}
        label={say.type(phrase === '' ? '…' : phrase)}
        value={typed}
        problem={fault}
        onChange={(next) => {
          setTyped(next)
          setFault('')
        }}
      />
      <button type="submit" className="btn danger" aria-disabled={busy || why !== ''}>
        {busy ? say.going : total === null ? say.goUncounted : say.go(total)}
      </button>
    </form>
  )
}
