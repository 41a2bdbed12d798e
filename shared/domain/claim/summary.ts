import { analyse } from '../judge/analyse.ts'
import { wordOverlap } from '../judge/overlap.ts'
import { canonicalText } from '../text/canonical.ts'
import { firstCharacters } from './claim-text.ts'

/** Most characters of a summary. */
export const SUMMARY_CHARACTERS = 1200

const SENTENCE = /^[\s\S]*?[.!?。！？](?=\s|$|[^\s.!?]*[\p{Lo}])/u

/** The first sentence of a claim on one line, with its end. */
function firstSentence(claim: string): string {
  const line = claim.replace(/\s+/gu, ' ').trim()
  const found = SENTENCE.exec(line)?.[0] ?? line
  return /[.!?。！？]$/u.test(found) ? found : `${found}.`
}

/**
 * A summary of claims in their own words: of those that say different things the first sentence each, the most central
 * (those that share most with the others) first, as many as fit 1,200 characters. The order of the claims decides ties.
 */
export function summarise(claims: readonly string[]): string {
  const distinct = [...new Map(claims.toReversed().map((claim) => [canonicalText(claim), firstSentence(claim)])).values()].toReversed()
  const read = distinct.map((text) => analyse({ key: '', text }))
  const central = distinct.map((text, at) => {
    const own = read[at]
    const shared = read.reduce((sum, other, place) => (own && place !== at ? sum + wordOverlap(own, other) : sum), 0)
    return { text, shared, at }
  })
  const ordered = central.sort((a, b) => b.shared - a.shared || a.at - b.at)
  const kept: string[] = []
  let length = 0
  for (const { text } of ordered) {
    if (length + text.length + 1 > SUMMARY_CHARACTERS && kept.length > 0) continue
    kept.push(text)
    length += text.length + 1
  }
  return firstCharacters(kept.join(' '), SUMMARY_CHARACTERS)
}
