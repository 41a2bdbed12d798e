import { useState, type FormEvent, type ReactNode } from 'react'
import type { Org } from '../../data/erasure.ts'
import { locale } from '../../state/locale.ts'
import { scopeName } from '../../text/erasure-words.ts'
import { count } from '../../text/when.ts'
import { FormField } from '../settings/form-field.tsx'
import { NotAllowed } from './not-allowed.tsx'
import { mayAny, readForm, rightsIn, type ScopeForm } from './scope.ts'
import { ScopeFields } from './scope-fields.tsx'
import { ERASE, EXPORT as say } from './strings.ts'
import { useExportFile, type Exported, type Progress } from './use-export.ts'

interface ExportSectionProps {
  readonly org: Org
  /** What is exported is read here, and the org is another's. */
  readonly isTeamHere: boolean
  readonly where: ReactNode
  readonly form: ScopeForm
  readonly requester: string
  readonly onForm: (form: ScopeForm) => void
  readonly onRequester: (requester: string) => void
  readonly onHere?: () => void
}

/** Everything about a person or a namespace, as one file. */
export function ExportSection({ org, isTeamHere, where, form, requester, onForm, onRequester, onHere }: ExportSectionProps) {
  const rights = rightsIn(org)
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <p className="lead">{isTeamHere ? say.leadTeam(org.org) : say.leadHere}</p>
      {where}
      {mayAny(rights) ? (
        <ExportForm key={org.org} {...{ org, form, requester, onForm, onRequester }} />
      ) : (
        <NotAllowed org={org} what="export" {...(onHere && { onHere })} />
      )}
    </>
  )
}

type FormProps = Pick<ExportSectionProps, 'org' | 'form' | 'requester' | 'onForm' | 'onRequester'>

function ExportForm({ org, form, requester, onForm, onRequester }: FormProps) {
  const { progress, done, fault, run, clear, stop } = useExportFile(org.org)
  const [deleted, setDeleted] = useState(true)
  const [missing, setMissing] = useState('')
  const { scope } = readForm(form)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (progress) return
    const why = !scope ? ERASE.notYet : requester.trim() === '' ? ERASE.noRequester : ''
    setMissing(why)
    if (why === '' && scope) void run({ ...scope, requester: requester.trim(), include_tombstoned: deleted }, scopeName(scope, locale))
  }
  return (
    <form className="form" onSubmit={submit}>
      <ScopeFields
        name="export"
        org={org}
        rights={rightsIn(org)}
        form={form}
        onForm={(next) => {
          setMissing('')
          clear()
          onForm(next)
        }}
      />
      <FormField
        label={ERASE.requester}
        value={requester}
        hint={say.requesterHint}
        onChange={(next) => {
          setMissing('')
          onRequester(next)
        }}
      />
      <label className="tick">
        <input type="checkbox" checked={deleted} onChange={(event) => setDeleted(event.target.checked)} />
        {say.deleted}
      </label>
      {(missing || fault) && (
        <p className="problem" role="alert">
          {missing || fault}
        </p>
      )}
      <div className="acts">
        <button type="submit" className="btn pri" aria-disabled={progress !== null}>
          {say.go}
        </button>
        {progress && (
          <button type="button" className="btn" onClick={stop}>
            {say.stop}
          </button>
        )}
      </div>
      {progress && <Writing progress={progress} />}
      {done && <Held done={done} />}
    </form>
  )
}

function Writing({ progress }: { progress: Progress }) {
  const isWriting = progress.kind === 'writing'
  return (
    <div className="running">
      <progress aria-label={say.progress} {...(isWriting && { max: Math.max(progress.all, 1), value: progress.written })} />
      <p className="s q" role="status">
        {isWriting ? say.writing(say.sections[progress.section], progress.rows, progress.of) : say.reading}
      </p>
    </div>
  )
}

function Held({ done }: { done: Exported }) {
  const isEmpty = done.sections.every((one) => one.rows === 0)
  return (
    <section aria-label={say.table}>
      {isEmpty && <p className="s q">{say.nothing}</p>}
      <table className="table">
        <caption className="sr">{done.file}</caption>
        <thead>
          <tr>
            <th scope="col">{say.sectionOf}</th>
            <th scope="col" className="r">
              {say.amount}
            </th>
            <th scope="col">{say.state}</th>
          </tr>
        </thead>
        <tbody>
          {done.sections.map(({ section, rows, truncated }) => (
            <tr key={section}>
              <td>{say.sections[section]}</td>
              <td className="r">{count(rows, locale)}</td>
              <td>{truncated ? say.truncated : say.whole}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
