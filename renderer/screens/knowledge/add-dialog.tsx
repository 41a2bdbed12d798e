import { Dialog } from '@base-ui/react/dialog'
import { useState } from 'react'
import { Name } from '../../../shared/contract/common.ts'
import { mostFileBytes, useCollections, useKnowledgeActions, type Added } from '../../data/knowledge.ts'
import { useEngineInfo } from '../../data/queries.ts'
import { messageOf } from '../../text/message-of.ts'
import { ADD as say } from './strings.ts'

interface AddProps {
  readonly namespace: string
  readonly files: readonly File[]
  readonly collection: string
  readonly onClose: () => void
  readonly onAdded: (documentId: string, collection: string) => void
}

type State =
  | { readonly kind: 'waiting' | 'reading' }
  | { readonly kind: 'done'; readonly answer: Added }
  | { readonly kind: 'refused'; readonly message: string }

function wordsOf(state: State): string {
  switch (state.kind) {
    case 'waiting':
      return say.waiting
    case 'reading':
      return say.reading
    case 'refused':
      return state.message
    case 'done': {
      const { noop, created, chunks_written: written, chunks_withheld: withheld } = state.answer
      if (noop) return say.same
      return `${created ? say.added(written) : say.replaced(written)}${withheld > 0 ? say.withheld(withheld) : ''}`
    }
  }
}

/** Which collection the files go to, and what became of each. A file that is too large is told before it is read. */
export function AddDialog({ namespace, files, collection: first, onClose, onAdded }: AddProps) {
  const actions = useKnowledgeActions(namespace)
  const most = mostFileBytes(useEngineInfo().data?.limits.max_request_bytes ?? 33_554_432)
  const known = useCollections(namespace).data?.collections ?? []
  const [collection, setCollection] = useState(first || 'default')
  const [states, setStates] = useState<readonly State[]>(() =>
    files.map((file) => (file.size > most ? { kind: 'refused', message: say.tooLarge(most) } : { kind: 'waiting' })),
  )
  const [phase, setPhase] = useState<'asking' | 'adding' | 'done'>('asking')
  const valid = Name.safeParse(collection).success
  const set = (at: number, state: State): void => setStates((before) => before.map((one, index) => (index === at ? state : one)))

  const add = async (): Promise<void> => {
    setPhase('adding')
    let last: Added | null = null
    for (const [at, file] of files.entries()) {
      if (file.size > most) continue
      set(at, { kind: 'reading' })
      try {
        last = await actions.add(file, collection)
        set(at, { kind: 'done', answer: last })
      } catch (error) {
        set(at, { kind: 'refused', message: messageOf(error) })
      }
    }
    await actions.refresh()
    setPhase('done')
    if (last) onAdded(last.document_id, collection)
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && phase !== 'adding' && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="sheet keys-sheet add-files">
          <div className="wh">
            <Dialog.Title>{say.title(files.length)}</Dialog.Title>
          </div>
          <form
            className="in"
            onSubmit={(event) => {
              event.preventDefault()
              if (valid && phase === 'asking') void add()
            }}
          >
            <label className="field">
              <span className="label">{say.collection}</span>
              <input
                className="input mono"
                list="known-collections"
                value={collection}
                readOnly={phase !== 'asking'}
                aria-invalid={!valid}
                maxLength={127}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                onChange={(event) => setCollection(event.target.value.trim())}
              />
              <datalist id="known-collections">
                {known.map((one) => (
                  <option key={one.collection} value={one.collection} aria-label={one.collection} />
                ))}
              </datalist>
              {!valid && <span className="problem">{say.collectionProblem}</span>}
            </label>
            <ul className="files" aria-live="polite">
              {files.map((file, at) => {
                const state = states[at] ?? { kind: 'waiting' }
                return (
                  <li key={`${file.webkitRelativePath || file.name} ${file.size}`}>
                    <bdi>{file.name}</bdi>
                    <small className={state.kind === 'refused' ? 'problem' : 'qq'}>{wordsOf(state)}</small>
                  </li>
                )
              })}
            </ul>
            <div className="acts">
              {phase === 'done' ? (
                <button type="button" className="btn pri" onClick={onClose}>
                  {say.close}
                </button>
              ) : (
                <>
                  <button type="submit" className="btn pri" disabled={!valid || phase === 'adding'}>
                    {phase === 'adding' ? say.adding : say.add}
                  </button>
                  <button type="button" className="btn" disabled={phase === 'adding'} onClick={onClose}>
                    {say.cancel}
                  </button>
                </>
              )}
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
