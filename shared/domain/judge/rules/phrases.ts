import type { Analysis } from '../analyse.ts'
import type { Comparison } from '../comparison.ts'

/** Wordings that carry meaning whole, read from the text rather than word by word. */

/** The analysed text in lower case. */
export function lower(analysis: Analysis): string {
  return analysis.plain.toLowerCase()
}

type Opposition = readonly [name: string, words: readonly string[], opposite: readonly string[]]

const FUNCTION_WORDS: readonly Opposition[] = [
  ['before', ['before', 'until', 'vor', 'antes', 'avant'], ['after', 'once', 'since', 'nach', 'después', 'après']],
  ['on', ['on', 'enabled'], ['off', 'disabled']],
  ['up', ['up'], ['down']],
  ['with', ['with', 'mit', 'con', 'avec'], ['without', 'ohne', 'sin', 'sans']],
  ['last', ['last', 'letzten', 'último', 'dernier'], ['first', '1st', 'ersten', 'primer', 'premier']],
  ['must', ['must', 'required', 'shall'], ['may', 'optional', 'can']],
  ['least', ['least', 'minimum', 'min'], ['most', 'maximum', 'max']],
  ['above', ['above', 'over', 'more'], ['below', 'under', 'less']],
  ['all', ['all', 'every', 'everyone', 'always'], ['none', 'no', 'nobody', 'never']],
]

/** Names of the oppositions of small words that stand between the claims: one says "before", the other "after". */
export function oppositeFunctionWords({ a, b }: Comparison): string[] {
  const has = (analysis: Analysis, words: readonly string[]) => analysis.tokens.some((token) => words.includes(token.text))
  return FUNCTION_WORDS.filter(([, words, opposite]) => {
    const [ax, ay, bx, by] = [has(a, words), has(a, opposite), has(b, words), has(b, opposite)]
    return (ax && !bx && by && !ay) || (ay && !by && bx && !ax)
  }).map(([name]) => name)
}

export const ONLY = /\b(only|just|exclusively|nur|solo|sólo|seulement|uniquement)\b/
export const ONLY_ENGLISH = /\b(only|just|exclusively|solely)\b/
export const EVERYONE = /^(any|every|all|each|everyone|everybody|anyone|anybody)\b/
export const UNIVERSAL = /^(everyone|everybody|all|every|always|any|never|alle|jeder|todos|todas|tous|toutes)$/
export const ALL = /\b(all|every|any|everywhere|everyone|everybody)\b/
export const EXCEPT = /\b(except|apart from|other than|but not|außer|excepto|salvo|sauf)\b/
export const WITHOUT = /\b(without|ohne|sin|sans)\b/
export const REQUIRED = /\b(requires?|must(?! not)|mandatory|required|needs?|compulsory|only with|always)\b/
export const POSSIBLE = /\b(can|may|could|allowed|possible|is|are|works?|runs?)\b/
export const DENIED = /\b(no|not|never|nobody|cannot|n't|none|don't|can't|must not)\b/
export const PLAINLY_DENIED = /\b(no|not|never)\b/
export const OPTIONAL =
  /\b(optional|voluntary|not required|not necessary|not mandatory|needn't|need not|(don't|doesn't|do not|does not) (have|need) to|isn't required|aren't required)\b/
export const OBLIGATORY = /\b(must(?! not)|mandatory|required|ha(s|ve) to|needs? to|needs|compulsory|obligatory|required to)\b/
export const STILL = /\b(still|continues to|currently|remains)\b/
export const NO_LONGER =
  /\b(no longer|not .{0,20}any ?more|left|former|formerly|stopped|used to|quit|retired|dropped|replaced|moved away|gave up|cancell?ed)\b/

/** Whose superior is who, where the sentence says that: [superior, report]. */
const REPORTING: readonly (readonly [pattern: RegExp, superiorFirst: boolean])[] = [
  [
    /^(\p{Lu}\p{L}+) (?:manages|leads|supervises|is (?:the )?(?:line )?(?:boss|manager|supervisor|lead) of) (\p{Lu}\p{L}+)(?=[ .,]|$)/u,
    true,
  ],
  [/^(\p{Lu}\p{L}+),? (?:is|was) (\p{Lu}\p{L}+)'s (?:direct |line )?(?:boss|manager|supervisor|lead)(?=[ .,]|$)/u, true],
  [/^(\p{Lu}\p{L}+) (?:reports|answers) to (\p{Lu}\p{L}+)/u, false],
  [/^(\p{Lu}\p{L}+)'s (?:line )?(?:boss|manager|supervisor) is (\p{Lu}\p{L}+)/u, false],
]

/** [superior, report] when a claim says who manages whom. */
export function reportingLine(analysis: Analysis): readonly [superior: string, report: string] | null {
  const text = analysis.plain.replace(/,[^,]{0,200},/g, ' ')
  for (const [pattern, superiorFirst] of REPORTING) {
    const [, first, second] = pattern.exec(text) ?? []
    if (first && second) return superiorFirst ? [first, second] : [second, first]
  }
  return null
}
