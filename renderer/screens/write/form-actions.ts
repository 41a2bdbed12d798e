import type { Judgement } from './judgement.ts'
import { ACTIONS as say, FOOT } from './strings.ts'

export type Act =
  | { readonly do: 'save' | 'save sensitive' | 'take the secret out' | 'close' | 'try again' }
  | { readonly do: 'open' | 'update instead'; readonly id: string }

export interface Action {
  readonly label: string
  readonly act: Act
  readonly disabled: boolean
}

/** What the footer offers for a judgement: the accent action, its neighbours, and what the choice does. */
export interface Offer {
  readonly note: string
  /** Ctrl Enter. */
  readonly main: Action
  /** Alt S: save all the same. */
  readonly allTheSame?: Action
  /** Alt U: update the peer instead. */
  readonly updateThat?: Action
}

export interface Standing {
  /** A row that is there already is being changed. */
  readonly revising: boolean
  /** It changed under the form. */
  readonly moved: boolean
  readonly saving: boolean
}

/** Saving is offered only where nothing stands against it; no key or click gets past this table. */
export function offerFor(judgement: Judgement, { revising, moved, saving }: Standing): Offer {
  const saveAs = (label: string): Action => ({
    label: moved ? say.saveOver : revising ? say.saveChange : label,
    act: { do: 'save' },
    disabled: saving,
  })
  switch (judgement.kind) {
    case 'empty':
    case 'invalid':
    case 'refused':
      return { note: '', main: { ...saveAs(say.save), disabled: true } }
    case 'checking':
      return { note: '', main: saveAs(say.save) }
    case 'failed':
      return { note: '', main: { label: say.retry, act: { do: 'try again' }, disabled: false } }
    case 'secret':
      return {
        note: '',
        main: { label: say.takeOut, act: { do: 'take the secret out' }, disabled: false },
        allTheSame: { label: say.saveSecret, act: { do: 'save sensitive' }, disabled: saving },
      }
    case 'judged':
      return offerForFinding(judgement, revising, saveAs)
  }
}

function offerForFinding(
  { finding, answer }: Extract<Judgement, { kind: 'judged' }>,
  revising: boolean,
  saveAs: (label: string) => Action,
): Offer {
  const peer = answer.peers[0]?.memory_id ?? ''
  const open = (id: string): Action => ({ label: say.openThat, act: { do: 'open', id }, disabled: id === '' })
  const note = revising && (finding === 'clear' || finding === 'refines') ? FOOT.revises : FOOT[finding]
  switch (finding) {
    case 'clear':
    case 'refines':
      return { note, main: saveAs(say.save) }
    case 'conflict':
      if (revising || !peer) return { note, main: saveAs(say.saveConflict) }
      return {
        note,
        main: saveAs(say.saveConflict),
        updateThat: { label: say.updateThat, act: { do: 'update instead', id: peer }, disabled: false },
      }
    case 'duplicate':
      return { note, main: open(peer), allTheSame: saveAs(say.saveDuplicate) }
    case 'merge':
      return { note, main: open(peer || answer.memory_id), allTheSame: { ...saveAs(say.confirm), label: say.confirm } }
    case 'rejected':
      return { note, main: open(peer) }
    case 'same':
      return { note, main: { label: say.close, act: { do: 'close' }, disabled: false } }
  }
}
