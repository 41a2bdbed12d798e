import { tokenize } from './tokens.ts'

export interface Marked {
  readonly text: string
  readonly hit: boolean
}

/** Enough of an English stem to find "deploys" for "deploy"; what matched is the engine's word, this only shows it. */
function stem(word: string): string {
  const plain = word.normalize('NFKC').toLowerCase()
  if (!/^[a-z]{4,}$/.test(plain)) return plain
  return plain
    .replace(/(?:ies)$/, 'y')
    .replace(/(?:ments?|ings?|ed|es|s|er|ers)$/, '')
    .replace(/e$/, '')
}

/** Words that `why` names as found in the text: "words: deploy, friday" gives deploy and friday. */
export function matchedWords(why: readonly string[]): string[] {
  return why.flatMap((reason) => {
    const named = /^words?: (.+)$/.exec(reason)?.[1]
    return named ? named.split(/,\s*/) : []
  })
}

/** The text with the words that matched marked; scripts without spaces are matched inside of words. */
export function highlight(text: string, words: readonly string[]): Marked[] {
  const stems = words
    .flatMap((word) => word.split(/\s+/))
    .map(stem)
    .filter(Boolean)
  if (!stems.length) return [{ text, hit: false }]
  const pieces: { text: string; hit: boolean }[] = []
  for (const { word, space } of tokenize(text)) {
    const here = stem(word)
    const parts = word.toLowerCase().split(/[.,:'’/_-]/)
    const hit =
      here !== '' &&
      stems.some(
        (wanted) =>
          here === wanted ||
          parts.some((part) => stem(part) === wanted) ||
          (/[^\p{Script=Latin}\p{N}]/u.test(wanted) && (here.includes(wanted) || (here.length > 1 && wanted.includes(here)))),
      )
    const last = pieces.at(-1)
    if (last && !last.hit && !hit) last.text += word + space
    else if (last?.hit && hit) last.text += word
    else pieces.push({ text: word, hit })
    const now = pieces.at(-1)
    if (hit && space && now) {
      // The space behind a marked word is not part of the match.
      pieces.push({ text: space, hit: false })
    } else if (!hit && space && now && now.text === word) now.text += space
  }
  return pieces
}
