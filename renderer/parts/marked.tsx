import { useMemo } from 'react'
import { highlight } from '../text/highlight.ts'
import { differingWords, wordDiff } from '../text/word-diff.ts'

/** Pieces have no identity beyond their place, and are never reordered: where each begins is its key. */
function withStarts<P extends { text: string }>(pieces: readonly P[]): (P & { start: number })[] {
  let start = 0
  return pieces.map((piece) => {
    const at = start
    start += piece.text.length
    return { ...piece, start: at }
  })
}

/** A text with the words that were searched for marked. */
export function Found({ text, words }: { text: string; words: readonly string[] }) {
  const pieces = useMemo(() => withStarts(highlight(text, words)), [text, words])
  return pieces.map(({ start, text: piece, hit }) => (hit ? <mark key={start}>{piece}</mark> : piece))
}

/** A text with the words marked that the other one does not have. */
export function Differing({ text, other }: { text: string; other: string }) {
  const pieces = useMemo(() => withStarts(differingWords(text, other)), [text, other])
  return pieces.map(({ start, text: piece, kind }) => (kind === 'new' ? <mark key={start}>{piece}</mark> : piece))
}

/** What changed from one text to the next. */
export function Changes({ before, after }: { before: string; after: string }) {
  const pieces = useMemo(() => withStarts(wordDiff(before, after)), [before, after])
  return pieces.map(({ start, text, kind }, at) => {
    if (kind === 'same') return text
    if (kind === 'new') return <ins key={`new ${start}`}>{text}</ins>
    const next = pieces[at + 1]?.text ?? ''
    // What is gone took its space with it; the reader still needs one.
    return [<del key={`gone ${start}`}>{text}</del>, /^[\p{L}\p{N}]/u.test(next) ? ' ' : '']
  })
}
