import { analyseQuery, analyseText, FUNCTION_WORD_WEIGHT } from './analyser.ts'

/** Less than half of a word's parts are chance. */
const HALF = 0.5

/** How to tell which share of a query's telling words a text has, 0..1. A query without any finds none in any text. */
export function wordShareOf(query: string): (text: string) => number {
  const words = analyseQuery(query).filter((word) => word.weight > FUNCTION_WORD_WEIGHT)
  const all = words.reduce((sum, word) => sum + word.weight, 0)
  return (text) => {
    if (all === 0) return 0
    const { terms } = analyseText(text)
    let have = 0
    for (const { whole, parts, weight } of words) {
      const total = parts.reduce((sum, part) => sum + part.weight, 0)
      const there = parts.reduce((sum, part) => sum + (terms.has(part.term) ? part.weight : 0), 0)
      const share = whole !== null && terms.has(whole) ? 1 : total > 0 ? there / total : 0
      if (share >= HALF) have += weight * share
    }
    return have / all
  }
}
