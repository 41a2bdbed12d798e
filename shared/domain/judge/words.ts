import { levelCharacters } from '../text/canonical.ts'

/** A word or a mark of punctuation, as it stands in the levelled text. */
export interface Word {
  readonly text: string
  /** Offset in the levelled text. */
  readonly at: number
  readonly punctuation: boolean
}

const WORD =
  /[$€£¥₩₹]?[+\-~<>≤≥=]{0,8}[$€£¥]?[\p{L}\p{N}\p{M}_#@][\p{L}\p{N}\p{M}_'’.,:/@&+#%\-()°]*|\p{Extended_Pictographic}|[,;:.?!"()\-–/&<>≤≥=%°+]/gu
const PUNCTUATION = /^[,;:.?!"()\-/&]$/
const TRAILING = new Set(".,:;'-/&(")
const MARKUP = /\*\*|```/g

/** Length of a word without the punctuation that follows it; "call()" keeps its brackets. */
function trimmedLength(word: string): number {
  let end = word.length
  if (!word.endsWith('()')) while (end > 0 && TRAILING.has(word[end - 1] as string)) end--
  while (end > 0 && word[end - 1] === ')' && !word.slice(0, end).includes('(')) end--
  return end
}

/** Words with their inner punctuation ("v1.2", "a/b", "don't"), and punctuation by itself. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const { 0: match, index } of levelCharacters(text).replace(MARKUP, ' ').matchAll(WORD)) {
    if (PUNCTUATION.test(match)) {
      words.push({ text: match, at: index, punctuation: true })
      continue
    }
    const end = trimmedLength(match)
    if (end > 0) words.push({ text: match.slice(0, end), at: index, punctuation: false })
    for (const c of match.slice(end)) {
      if (c !== "'") words.push({ text: c, at: index + end, punctuation: true })
    }
  }
  return words
}
