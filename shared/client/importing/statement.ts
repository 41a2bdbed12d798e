import { claimOf, left, type About, type Found, type Place } from './found.ts'

/** Fewer words state nothing ("ok, thanks"). */
const LEAST_WORDS = 4
/** What a language without spaces needs at least. */
const LEAST_CHARACTERS = 8
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const QUESTION = /[?？]\s*$/u
/** Where one sentence ends and the next begins. */
const SENTENCES = /(?<=[.!?。！？])\s+/u

/** What a person said in a chat, as a claim: questions alone, and a word or two, state nothing. */
export function statementOf(text: string, about: About, at: Place): Found {
  const said = text.trim()
  if (said === '') return left('empty')
  if (said.split(SENTENCES).every((sentence) => QUESTION.test(sentence))) return left('question')
  const isShort = DENSE.test(said) ? [...said].length < LEAST_CHARACTERS : said.split(/\s+/u).length < LEAST_WORDS
  return isShort ? left('short') : claimOf(said, about, at)
}
