import { canBeVerb, senses } from './predicate.ts'
import type { Token } from './tokens.ts'

/** Works out which words of a claim stand under a negation. Sets `polarity` (and clears `negation`) in place. */

const WITHOUT = /^(without|ohne|sin|sans|sem)$/
const COMPARATIVE = /^(longer|more|later|fewer|less|exceed|greater|larger|earlier|only|just)$/
const NO_CHANGE_AFTER_NO = /^(more|later|fewer|less)$/
const SCOPE_ENDS = /^(but|unless|except|because|until|aber|pero|mais)$/
const AND = /^(and|und|y|et)$/

const NEGATIVE_VERB =
  /^(dislikes?|disliked|hates?|hated|avoids?|avoided|refuses?|refused|forbids?|bans?|prohibits?|disallows?|lacks?|lacking|excludes?|rejects?|denies|can't stand|stopped|quit|unable|fails?|failed)$/
const DECISION = /^(decided|advised|voted|chose)$/
const NEGATIVE_STATE =
  /^(forbidden|banned|prohibited|disallowed|verboten|prohibido|interdit|interdite|unavailable|unsupported|impossible|rejected|refused|denied|excluded|abandoned|unused)$/
const POSITIVE_STATE = /^(possible|allowed|permitted|supported|offered|accepted|available|used|needed|required|necessary)$/
const COPULA = /^(is|are|was|were|be|been|being|ist|sind|está|están|est|sont|gets?)$/
const RUN_OUT = /^(is|are|ran|runs|run|was|be)$/

/** Words whose being negated counts as a negation by meaning. */
export const NEGATIVE_WORD =
  /^(dislikes?|hates?|avoids?|refuses?|forbids?|bans?|stopped|quit|unable|forbidden|banned|prohibited|against|lacks?|rejects?)$/

const SCOPE = 12
const SCOPE_OF_WITHOUT = 4
const SCOPE_OF_VERB = 6

const flip = (token: Token) => {
  token.polarity *= -1
}

/** "never ... without" is a requirement: the two negations cancel. */
function cancelDoubleNegation(tokens: readonly Token[]): void {
  const second = tokens.find((token) => token.negation && /^(without|ohne|sin|sans|unless)$/.test(token.text))
  const first = second && tokens.find((token) => token.negation && token.index < second.index && token.clause === second.clause)
  if (second && first) second.negation = first.negation = false
}

/** "not longer than", "not only", "must not exceed": a bound or an addition, no negation. */
function isBound(tokens: readonly Token[], at: number): boolean {
  const text = (k: number) => tokens[k]?.text ?? ''
  if (!tokens.slice(at + 1, at + 4).some((token) => COMPARATIVE.test(token.text))) return false
  return (
    /^(than|to)$/.test(text(at + 2)) ||
    tokens.slice(at + 2, at + 5).some((token) => token.text === 'than' || token.text === 'exceed') ||
    /^(exceed|only|just)$/.test(text(at + 1))
  )
}

/** A verb after "and" starts a statement of its own. */
function startsNewStatement(tokens: readonly Token[], at: number): boolean {
  const verb = tokens[at + 1]
  if (!AND.test((tokens[at] as Token).text) || !verb || !/(s|ed)$/.test(verb.text) || !canBeVerb(verb)) return false
  const { noun, verb: verbs } = senses(verb)
  return verbs >= noun
}

function negateAfter(tokens: readonly Token[], negation: Token): void {
  const limit = WITHOUT.test(negation.text) ? SCOPE_OF_WITHOUT : SCOPE
  let reached = 0
  for (let k = negation.index + 1; k < tokens.length && reached < limit; k++) {
    const token = tokens[k] as Token
    if (token.clause !== negation.clause || SCOPE_ENDS.test(token.text) || startsNewStatement(tokens, k)) break
    flip(token)
    reached++
  }
  if (reached > 0) return
  for (let k = negation.index - 1; k >= 0 && (tokens[k] as Token).clause === negation.clause; k--) flip(tokens[k] as Token)
}

function negateByWord(tokens: readonly Token[], token: Token): void {
  const { index, clause, text } = token
  const before = tokens[index - 1]?.text ?? ''
  const ahead = (count: number, from = index + 1) => {
    const next = tokens.slice(from, from + count)
    const end = next.findIndex((t) => t.clause !== clause)
    return end < 0 ? next : next.slice(0, end)
  }
  if (POSITIVE_STATE.test(text) && tokens.slice(Math.max(0, index - 2), index).some((t) => t.negation || t.text.endsWith("n't"))) {
    tokens.filter((t) => t.index < index - 1 && t.clause === clause && !t.negation).forEach(flip)
  }
  if (NEGATIVE_VERB.test(text) || (text === 'against' && DECISION.test(before))) ahead(SCOPE_OF_VERB).forEach(flip)
  const linked = COPULA.test(before) || /^(is|are|was|were)$/.test(tokens[index - 2]?.text ?? '')
  if (NEGATIVE_STATE.test(text) && (linked || index > 2)) {
    tokens.filter((t) => t !== token && t.clause === clause).forEach(flip)
  }
  if (text === 'out' && tokens[index + 1]?.text === 'of' && RUN_OUT.test(before)) ahead(3, index + 2).forEach(flip)
}

export function markPolarity(tokens: readonly Token[]): void {
  cancelDoubleNegation(tokens)
  for (const token of tokens) {
    if (!token.negation) continue
    if (token.text === 'no' && NO_CHANGE_AFTER_NO.test(tokens[token.index + 1]?.text ?? '')) continue
    if (isBound(tokens, token.index)) token.negation = false
    else negateAfter(tokens, token)
  }
  for (const token of tokens) negateByWord(tokens, token)
}
