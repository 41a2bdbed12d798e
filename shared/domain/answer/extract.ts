import { analyse, type Analysis } from '../judge/analyse.ts'
import { judge } from '../judge/judge.ts'
import { wordOverlap } from '../judge/overlap.ts'
import { isNear } from '../search/near.ts'

/** A sentence of a row that may answer a question. */
export interface Evidence {
  readonly text: string
  readonly key: string
  /** Place of its row in the ranking, and the row's score there (0..1). */
  readonly row: number
  readonly rankScore: number
  /** Nearness of the sentence to the question: cosine, and share of the question's words. */
  readonly similarity: number
  readonly coverage: number
}

/** Sentences besides the best one that an answer may hold. */
const MOST_MORE = 4
/** How near the best one's score another has to come. */
const ENOUGH = 0.6
/** By words a sentence is near from .50 on, by meaning from .40: one scale for both. */
const WORDS_AS_MEANING = 0.8

/** How well a sentence answers, 0..1: it has to be near the question and its row has to stand high; neither makes up for the other. */
export function answerScore({ similarity, coverage, rankScore }: Evidence): number {
  return Math.max(similarity, WORDS_AS_MEANING * coverage) * rankScore
}

/** True when the judge finds the same fact in both, or nothing new in the first. */
function saysNothingNew(sentence: Analysis, said: Analysis): boolean {
  const { finding, vaguer } = judge(sentence, said, { similarity: wordOverlap(sentence, said), relation: null })
  return finding === 'same' || finding === 'restates' || vaguer === true
}

/**
 * The sentences that answer: the best, and up to four more that are near, come close to it and say something new, best
 * first. Pure: the same sentences in the same order give the same answer.
 */
export function chooseSentences(sentences: readonly Evidence[]): Evidence[] {
  const ranked = sentences
    .map((sentence, at) => ({ sentence, at, score: answerScore(sentence) }))
    .sort((a, b) => b.score - a.score || a.sentence.row - b.sentence.row || a.at - b.at)
  const [best] = ranked
  if (!best) return []
  const chosen: { readonly sentence: Evidence; readonly analysis: Analysis }[] = []
  for (const { sentence, score } of ranked) {
    if (chosen.length > MOST_MORE || score < ENOUGH * best.score) break
    if (chosen.length > 0 && !isNear(sentence.similarity, sentence.coverage)) continue
    const analysis = analyse({ key: sentence.key, text: sentence.text })
    if (!chosen.some((said) => saysNothingNew(analysis, said.analysis))) chosen.push({ sentence, analysis })
  }
  return chosen.map(({ sentence }) => sentence)
}
