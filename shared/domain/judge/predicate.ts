import { AUXILIARIES, DETERMINERS, IMPERATIVES, INSTRUCTION_STARTS, PREPOSITIONS, RELATIVES } from './lexicon/function-words.ts'
import { type Senses, sensesOf } from './lexicon/lemma.ts'
import type { Token } from './tokens.ts'

/** Finds where the predicate of a claim starts, so that a changed subject can be told from a changed value. */

const NO_SENSES: Senses = { noun: 0, verb: 0, adjective: 0, adverb: 0 }

export function senses(token: Token): Senses {
  return sensesOf(token.lemma) ?? NO_SENSES
}

/** True when the word can be a verb. */
export function canBeVerb(token: Token): boolean {
  return senses(token).verb > 0
}

/** A noun phrase, or the object of a preposition, cannot turn into the main verb. */
function opensNoun(before: Token | undefined): boolean {
  return before !== undefined && (DETERMINERS.has(before.text) || PREPOSITIONS.has(before.text))
}

function isBareVerb(token: Token, before: Token | undefined, after: Token | undefined): boolean {
  const { noun, verb, adjective, adverb } = senses(token)
  return (
    !token.capital &&
    verb > 0 &&
    noun === 0 &&
    adjective === 0 &&
    adverb === 0 &&
    !/(ing|ed|s)$/.test(token.text) &&
    !opensNoun(before) &&
    !AUXILIARIES.has(after?.text ?? '')
  )
}

function isPlainVerb(token: Token): boolean {
  const { noun, verb } = senses(token)
  return verb > 0 && noun === 0 && !/(ed|ing)$/.test(token.text) && !PREPOSITIONS.has(token.text)
}

/** "deploys", "deployed": the third person or the past, where it is no plural and no attribute. */
function isInflectedVerb(token: Token, before: Token | undefined, after: Token | undefined): boolean {
  const { text } = token
  if (!/(s|ed)$/.test(text) || text.length <= 3 || text.endsWith('ss') || text.endsWith("'s")) return false
  if (!canBeVerb(token) || token.capital || opensNoun(before)) return false
  if (!after) return true
  const plural = text.endsWith('s')
  const { noun, verb } = senses(token)
  if (/^(of|for)$/.test(after.text)) return false
  if (plural && (AUXILIARIES.has(after.text) || isPlainVerb(after))) return false
  return !(plural && noun >= verb && (AUXILIARIES.has(after.text) || (canBeVerb(after) && after.text.endsWith('s'))))
}

function startsAtOnce(first: Token): boolean {
  if (/^(there|there's)$/.test(first.text) || INSTRUCTION_STARTS.has(first.text)) return true
  return canBeVerb(first) && IMPERATIVES.has(first.text)
}

/** The first verb of the main clause: an auxiliary, or a full verb before it. -1 when there is none. */
function mainVerb(tokens: readonly Token[]): number {
  let lexical = -1
  for (let k = 1; k < tokens.length; k++) {
    const token = tokens[k] as Token
    if (RELATIVES.has(token.text) && k > 1) break
    if (AUXILIARIES.has(token.text)) return lexical >= 0 ? lexical : k
    if (lexical >= 0) continue
    const [before, after] = [tokens[k - 1], tokens[k + 1]]
    if (isBareVerb(token, before, after) || isInflectedVerb(token, before, after)) lexical = k
  }
  return lexical
}

/** A list or note without a verb is split at about this part of its words. */
const SPLIT = 0.45

/** Index of the first token of the predicate; 0 for an instruction, which has no subject. */
export function predicateStart(tokens: readonly Token[], colons: readonly number[]): number {
  const first = tokens[0]
  if (!first) return -1
  if (startsAtOnce(first)) return 0
  const verb = mainVerb(tokens)
  if (verb >= 0) return verb
  const colon = colons[0]
  const afterColon = colon === undefined || colon === 0 ? -1 : tokens.findIndex((token) => token.at > colon)
  if (afterColon >= 0) return afterColon
  const likely = tokens.findIndex((token, k) => {
    const { noun, verb: verbs } = senses(token)
    return k > 0 && verbs > 0 && verbs >= noun && !opensNoun(tokens[k - 1])
  })
  return likely >= 0 ? likely : Math.max(1, Math.floor(tokens.length * SPLIT))
}

/** Sets region and governing preposition of each token, in place. */
export function markRegions(tokens: readonly Token[], predicate: number): void {
  let preposition = ''
  let clause = -1
  for (const token of tokens) {
    token.region = token.index < predicate ? 'subject' : 'predicate'
    if (token.clause !== clause) {
      preposition = ''
      clause = token.clause
    }
    if (token.region === 'subject') continue
    if (PREPOSITIONS.has(token.text)) preposition = token.text
    else if (RELATIVES.has(token.text) || AUXILIARIES.has(token.text)) preposition = ''
    token.preposition = preposition
  }
}
