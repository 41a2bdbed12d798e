import { useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import type { NamespaceRow } from '../../data/namespaces.ts'
import { hasMod, ALT, MOD } from '../../state/keys.ts'
import { takeSecretOut } from '../../text/secret.ts'
import { ClaimText } from './claim-text.tsx'
import { offerFor, type Action } from './form-actions.ts'
import { KeyField } from './key-field.tsx'
import { Options } from './options.tsx'
import { WRITE as say } from './strings.ts'
import { TagsInput } from './tags-input.tsx'
import { useWrite, type Start } from './use-write.ts'
import { VerdictBox } from './verdict-box.tsx'

interface WriteBodyProps {
  readonly start: Start
  readonly namespaces: readonly NamespaceRow[]
  readonly textRef: RefObject<HTMLTextAreaElement | null>
  readonly title: ReactNode
  /** The button that closes. */
  readonly close: ReactNode
  /** What was done last, above the footer; nothing where it is said elsewhere. */
  readonly said?: ReactNode
  readonly onClose: () => void
  /** It is stored, under this id. */
  readonly onSaved: (namespace: string, id: string) => void
  readonly onOpen: (namespace: string, id: string) => void
}

/** The form itself: one claim, and what Loom makes of it before it is stored. */
export function WriteBody({ start, namespaces, textRef, title, close, said, onClose, onSaved, onOpen }: WriteBodyProps) {
  const [options, setOptions] = useState(false)
  const write = useWrite(start, (id, namespace) => onSaved(namespace, id))
  const { fields, change, judgement, problems } = write
  const editing = start.kind === 'edit'

  const offer = offerFor(judgement, { revising: write.base !== null, moved: write.moved !== null, saving: write.saving })
  const takeSecret = (): void => {
    const { text, gap } = takeSecretOut(fields.text)
    // At once: the next key that is pressed already belongs into the gap.
    flushSync(() => change({ text }))
    textRef.current?.focus()
    if (gap) textRef.current?.setSelectionRange(gap.start, gap.end)
  }
  const run = (action: Action | undefined): void => {
    if (!action || action.disabled) return
    switch (action.act.do) {
      case 'save':
        return write.save()
      case 'save sensitive':
        return write.saveSensitive()
      case 'take the secret out':
        return takeSecret()
      case 'update instead':
        return write.updateInstead(action.act.id)
      case 'open':
        return onOpen(fields.namespace, action.act.id)
      case 'try again':
        return write.retry()
      case 'close':
        return onClose()
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && hasMod(event)) run(offer.main)
    else if (event.altKey && event.code === 'KeyS') run(offer.allTheSame)
    else if (event.altKey && event.code === 'KeyU') run(offer.updateThat)
    else if (event.altKey && event.code === 'KeyO') setOptions((open) => !open)
    else return
    event.preventDefault()
  }
  const namespace = namespaces.find((row) => row.namespace === fields.namespace)

  return (
    // Keys of the whole form, wherever in it the focus is.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="write-keys" onKeyDown={onKeyDown}>
      <div className="wh">
        {title}
        {say.in}
        {editing || write.base ? (
          <bdi className="where">{fields.namespace}</bdi>
        ) : (
          <>
            <input
              className="input namespace"
              list="write-namespaces"
              aria-label={say.namespace}
              aria-invalid={problems.namespace !== undefined}
              value={fields.namespace}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => change({ namespace: event.target.value })}
            />
            <datalist id="write-namespaces">
              {namespaces.map((row) => (
                <option key={row.namespace} value={row.namespace} aria-label={row.namespace} />
              ))}
            </datalist>
          </>
        )}
        <button type="button" className="btn sm text" aria-expanded={options} onClick={() => setOptions(!options)}>
          {say.options} <kbd aria-hidden="true">{ALT} O</kbd>
        </button>
        {close}
      </div>
      <div className="in">
        <ClaimText
          ref={textRef}
          text={fields.text}
          json={write.json}
          judgement={judgement}
          problem={problems.text}
          onText={(text) => change({ text })}
        />
        <div className="two">
          <KeyField write={write} fixed={editing} />
          <div className="field">
            <span className="label" aria-hidden="true">
              {say.tags}
            </span>
            <TagsInput tags={fields.tags} problem={problems.tags} onTags={(tags) => change({ tags })} />
          </div>
        </div>
        {options && <Options fields={fields} problem={problems.until} onChange={change} />}
        <VerdictBox
          judgement={judgement}
          text={fields.text}
          held={namespace?.rows ?? null}
          base={write.base}
          moved={write.moved}
          typed={write.keyIsTyped}
        />
      </div>
      {said}
      <footer>
        {write.fromDraft ? (
          <span className="s">
            {say.draft}{' '}
            <button type="button" className="link" onClick={write.afresh}>
              {say.afresh}
            </button>
          </span>
        ) : (
          <span className="s">{offer.note}</span>
        )}
        {offer.updateThat && <OfferButton action={offer.updateThat} keys={`${ALT} U`} onRun={run} />}
        {offer.allTheSame && <OfferButton action={offer.allTheSame} keys={`${ALT} S`} onRun={run} />}
        <OfferButton action={offer.main} keys={`${MOD} ↵`} onRun={run} main />
      </footer>
    </div>
  )
}

interface OfferButtonProps {
  readonly action: Action
  readonly keys: string
  readonly main?: boolean
  readonly onRun: (action: Action) => void
}

function OfferButton({ action, keys, main, onRun }: OfferButtonProps) {
  return (
    <button type="button" className={main ? 'btn pri' : 'btn'} aria-disabled={action.disabled} onClick={() => onRun(action)}>
      {action.label} <kbd aria-hidden="true">{keys}</kbd>
    </button>
  )
}
