const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' })

/** An end that the segmenter takes for one of a sentence, and is none. */
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|Dr|Mr|Mrs|Ms|Prof|St|Inc|Ltd|Co)\.\s*$/

/** The sentences of a text as they stand in it, without the white space around them; lines end sentences too. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let held = ''
  for (const { segment } of SEGMENTER.segment(text)) {
    held += segment
    if (ABBREVIATION.test(held)) continue
    const sentence = held.trim()
    if (/[\p{L}\p{N}]/u.test(sentence)) sentences.push(sentence)
    held = ''
  }
  const rest = held.trim()
  if (/[\p{L}\p{N}]/u.test(rest)) sentences.push(rest)
  return sentences
}

/** The start of a text that fits, cut between words where there are any, with "…" for what is left out. */
export function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.slice(0, Math.max(0, most - 1))
  const space = start.search(/\s\S*$/)
  const cut = space > start.length / 2 ? start.slice(0, space) : start.replace(/[\ud800-\udbff]$/, '')
  return `${cut.trimEnd()}…`
}
