import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import type { Json } from '../../../shared/contract/common.ts'
import type { OpenPair } from '../../data/pair.ts'
import { hasMod, MOD } from '../../state/keys.ts'
import { mergeKind, mergeStart, mergeValue } from './merge-value.ts'
import { MERGE as say } from './strings.ts'

interface MergeEditorProps {
  readonly pair: OpenPair
  readonly busy: boolean
  readonly onSave: (value: Json) => void
  readonly onCancel: () => void
}

/** Texts not saved yet, by pair: another pair looked at meanwhile does not cost them. */
const drafts = new Map<string, string>()

export const forgetMerge = (id: string): void => void drafts.delete(id)

/** One text in the place of two. Ctrl Enter saves, Escape closes. */
export function MergeEditor({ pair, busy, onSave, onCancel }: MergeEditorProps) {
  const { id, row, peer } = pair
  const kind = mergeKind(peer)
  const [text, setText] = useState(() => drafts.get(id) ?? mergeStart(row, peer))
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const name = useId()

  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [])

  const change = (next: string): void => {
    drafts.set(id, next)
    setProblem('')
    setText(next)
  }
  const save = (): void => {
    if (busy) return
    const read = mergeValue(text, kind)
    if ('value' in read) onSave(read.value)
    else setProblem(read.problem)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && hasMod(event)) save()
    else if (event.key === 'Escape') onCancel()
    else return
    event.preventDefault()
  }
  return (
    // The keys act wherever in the form the focus is.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="merge" onKeyDown={onKey}>
      <label className="field" htmlFor={name}>
        <span className="label">{say.label(peer.memory_key)}</span>
        <textarea
          ref={field}
          id={name}
          className={kind === 'json' ? 'input mono' : 'input'}
          dir="auto"
          rows={4}
          spellCheck={kind === 'text'}
          aria-invalid={problem !== ''}
          aria-describedby={`${name}-does`}
          value={text}
          onChange={(event) => change(event.target.value)}
        />
      </label>
      <p className={problem ? 'problem' : 's q'} id={`${name}-does`} role={problem ? 'alert' : undefined}>
        {problem || say.does(peer.memory_key, row.memory_key)}
      </p>
      <div className="acts">
        <button type="button" className="btn pri" aria-disabled={busy} onClick={save}>
          {say.save} <kbd aria-hidden="true">{MOD} ↵</kbd>
        </button>
        <button type="button" className="btn" onClick={onCancel}>
          {say.cancel} <kbd aria-hidden="true">Esc</kbd>
        </button>
      </div>
    </div>
  )
}
