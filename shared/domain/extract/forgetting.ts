import { canonicalText } from '../text/canonical.ts'
import type { Line } from './transcript.ts'

/**
 * Whether a person asked, in words of their own, that something be forgotten. A model says so too, and a transcript can
 * talk it into that: nothing is forgotten that these do not find in a message of the user. Pure.
 */

/** How people ask for it. A language that is missing here cannot ask: it fails towards keeping. */
const ASKS =
  /\b(?:forget|delete|remove|erase|(?:do not|don't|no longer|stop) (?:remember|stor|keep)\w*|vergiss|vergessen|lösch\w*|oublie\w*|supprime\w*|efface\w*|olvid\w+|borra\w*|elimin\w+|dimentic\w+|cancell\w+|esque[cç]\w+|apag\w+|vergeet|verwijder\w*|zapomnij|usuń|glöm|radera|unohda|poista|unut|sil)(?![\p{L}])|забуд|удали|忘れ|削除|消して|忘记|忘掉|删除|刪除|忘記|잊어|삭제/iu

const WORD = /[\p{L}\p{N}]+/gu
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
/** Longer words are told from each other by so many letters: one in another form still meets its kin. */
const STEM = 5
const SHORTEST = 3

/** Words by their stems, and of scripts without spaces every two characters. */
function stems(text: string): Set<string> {
  const found = new Set<string>()
  for (const [word] of canonicalText(text).matchAll(WORD)) {
    if (CJK.test(word)) for (let at = 0; at + 1 < word.length; at++) found.add(word.slice(at, at + 2))
    else if (word.length >= SHORTEST) found.add(word.slice(0, STEM))
  }
  return found
}

/** Words of asking, which name nothing that is to be forgotten. */
const EMPTY = stems(
  'forget delete remove erase please remember store keep stop the and you what that this about everything all user fact facts',
)

function sharesAWord(a: string, b: string): boolean {
  const other = stems(b)
  return [...stems(a)].some((stem) => !EMPTY.has(stem) && other.has(stem))
}

/** What was said, in one spelling. */
export interface Said {
  readonly role: Line['role']
  readonly text: string
}

export const saidIn = (lines: readonly Line[]): Said[] => lines.map(({ role, content }) => ({ role, text: canonicalText(content) }))

/** The passage stands in what was said, however it is spelt. */
export function isQuoted(quote: string, said: readonly Said[]): boolean {
  const wanted = canonicalText(quote)
  return wanted !== '' && said.some(({ text }) => text.includes(wanted))
}

/**
 * @param quote the passage in which the model says that the user asked for it
 * @param fact key and claim of what is to be forgotten
 */
export function asksToForget(quote: string, fact: string, said: readonly Said[]): boolean {
  const own = said.filter(({ role }) => role === 'user')
  return ASKS.test(quote) && sharesAWord(quote, fact) && isQuoted(quote, own)
}
