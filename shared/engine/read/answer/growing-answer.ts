import type { AskProgress, Citation } from '../../../contract/ops/memory/ask.ts'
import { createComposer } from '../../../domain/answer/compose.ts'
import { cutAtWord } from '../../../domain/answer/sentences.ts'
import { isSupported, type CitedSentence } from '../../../domain/answer/synthesis.ts'
import type { Head } from '../../store/memories.ts'
import { citationOf } from './cite.ts'
import type { Source } from './sources.ts'

/** Characters of a memory that a citation quotes. */
export const QUOTE = 400

/** What a model was given, by number from 1. */
export type GivenEvidence = readonly { readonly source: Source; readonly text: string }[]

export interface CheckedSentence extends CitedSentence {
  readonly supported: boolean
}

/** An answer that a model writes sentence by sentence. Each is checked against what it cites before anybody sees it. */
export interface GrowingAnswer {
  /** A sentence of the model's, marked where its citation does not bear it out. */
  add(sentence: CitedSentence): void
  /** The words of a memory itself. */
  addQuote(sentence: CitedSentence): void
  /** The model's sentences so far, shown or not. */
  readonly sentences: readonly CheckedSentence[]
  /** What is shown so far. */
  readonly pieces: readonly string[]
  readonly citations: readonly Citation[]
  readonly heads: readonly Head[]
}

/** Shows nothing before one sentence is borne out: where none is, there is no answer. @param tell of each shown sentence */
export function createGrowingAnswer(
  evidence: GivenEvidence,
  maxChars: number,
  tell: ((told: AskProgress) => void) | undefined,
): GrowingAnswer {
  const composer = createComposer(maxChars)
  const sentences: CheckedSentence[] = []
  const pieces: string[] = []
  const citations: Citation[] = []
  const heads: Head[] = []
  let held: CheckedSentence[] = []

  const show = ({ supported, ...sentence }: CheckedSentence): void => {
    const piece = composer.add({ ...sentence, remark: supported ? '' : ' (not supported)' })
    if (piece === null) return
    pieces.push(piece)
    const named = composer.named.slice(citations.length).flatMap((n, at) => {
      const one = evidence[n - 1]
      if (!one) return []
      heads.push(one.source.head)
      return [citationOf({ head: one.source.head, text: cutAtWord(one.text, QUOTE) }, citations.length + at + 1)]
    })
    citations.push(...named)
    tell?.({ kind: 'sentence', text: piece, supported, citations: named, evidence: evidence.length })
  }

  return {
    sentences,
    pieces,
    citations,
    heads,
    add(sentence) {
      const cited = sentence.cites.map((n) => evidence[n - 1]?.text ?? '')
      const checked = { ...sentence, supported: isSupported(sentence.text, cited) }
      sentences.push(checked)
      held.push(checked)
      if (!checked.supported && pieces.length === 0) return
      for (const one of held) show(one)
      held = []
    },
    addQuote: (sentence) => show({ ...sentence, supported: true }),
  }
}
