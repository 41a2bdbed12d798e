import type { Citation } from '../../../contract/ops/memory/ask.ts'
import type { ConflictNote } from '../../../contract/search.ts'
import { composeQuotes } from '../../../domain/answer/compose.ts'
import { answerScore, chooseSentences } from '../../../domain/answer/extract.ts'
import { besideEachOther, citationOf, conflictNotes, type Quote } from './cite.ts'
import type { SourceSentence } from './sentences.ts'
import type { Sources } from './sources.ts'

export interface Answered {
  readonly answer: string
  readonly citations: readonly Citation[]
  readonly conflicts: readonly ConflictNote[]
}

/** The best sentence of each row on the other side of a conflict with a chosen one. */
function othersSides(chosen: readonly SourceSentence[], sentences: readonly SourceSentence[], { conflicts }: Sources): SourceSentence[] {
  const told = new Set(chosen.map(({ source }) => source.head.memory_id))
  const others = conflicts
    .flatMap(({ rowId, peerId }) => (told.has(rowId) ? [peerId] : told.has(peerId) ? [rowId] : []))
    .filter((id) => !told.has(id))
  return [...new Set(others)].flatMap((id) => {
    const own = sentences.filter(({ source }) => source.head.memory_id === id)
    return own.toSorted((a, b) => answerScore(b) - answerScore(a)).slice(0, 1)
  })
}

/** The sentences that answer, as they stand in memory, each cited; what is contested with its other side. */
export function extractiveAnswer(sentences: readonly SourceSentence[], sources: Sources, maxChars: number): Answered {
  const own = sentences.filter(({ source }) => source.hit !== null)
  const chosen = chooseSentences(own) as SourceSentence[]
  const quotes = [...chosen, ...othersSides(chosen, sentences, sources)].map(({ source, text }): Quote => ({ head: source.head, text }))
  const quoted = new Set(quotes.map(({ head }) => head.memory_id))
  const between = sources.conflicts.filter(({ rowId, peerId }) => quoted.has(rowId) && quoted.has(peerId))
  const ordered = besideEachOther(quotes, between)
  const first = ordered[0]?.head.memory_id
  const contested = new Set(between.flatMap((pair) => (pair.rowId === first || pair.peerId === first ? [pair.rowId, pair.peerId] : [])))
  const { answer, quoted: said } = composeQuotes(
    ordered.map(({ head, text }) => ({ text, mustStand: contested.has(head.memory_id) })),
    maxChars,
  )
  const citations = said.flatMap(({ at, text }, nth) => {
    const quote = ordered[at]
    return quote ? [citationOf({ head: quote.head, text }, nth + 1)] : []
  })
  const cited = new Set(citations.map(({ memory_id: id }) => id))
  return {
    answer,
    citations,
    conflicts: conflictNotes(
      ordered.map(({ head }) => head).filter((head) => cited.has(head.memory_id)),
      between,
    ),
  }
}
