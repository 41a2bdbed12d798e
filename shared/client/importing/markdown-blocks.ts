import { claimOf, left, type About, type Found, type Place } from './found.ts'

/** Markdown as claims: each item of a list and each paragraph is one, under the heading that it stands under. */

interface Block {
  readonly kind: 'item' | 'text' | 'task' | 'code'
  readonly text: string
  readonly line: number
  /** The nearest heading above; "" for none. */
  readonly heading: string
}

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/
const TASK = /^\[[ xX]\]\s+/
const FENCE = /^\s*(`{3,}|~{3,})/
const PASSED_OVER = /^\s*(?:\||<!--|-{3,}\s*$|\*{3,}\s*$|_{3,}\s*$|\[[^\]]+\]:\s|!\[|@[\w./~-]+\s*$|%%)/

/** The blocks of a text, in order. */
export function* blocksOf(markdown: string, firstLine: number): Generator<Block> {
  let heading = ''
  let fence = ''
  let open: { kind: 'item' | 'text'; parts: string[]; line: number } | null = null
  const close = (): Block[] => {
    if (open === null) return []
    const { kind, parts, line } = open
    open = null
    const text = parts.join(' ').trim()
    return [{ kind: TASK.test(text) ? 'task' : kind, text, line, heading }]
  }
  for (const [at, raw] of markdown.split(/\r?\n/).entries()) {
    const line = firstLine + at
    const mark = FENCE.exec(raw)?.[1] ?? ''
    if (fence !== '') {
      if (mark.startsWith(fence)) fence = ''
      continue
    }
    if (mark !== '') {
      yield* close()
      fence = mark
      yield { kind: 'code', text: '', line, heading }
      continue
    }
    const title = HEADING.exec(raw)
    const item = ITEM.exec(raw)
    if (title) {
      yield* close()
      heading = title[2] ?? ''
    } else if (raw.trim() === '' || PASSED_OVER.test(raw)) yield* close()
    else if (item) {
      yield* close()
      open = { kind: 'item', parts: [item[1] ?? ''], line }
    } else if (open) open.parts.push(raw.trim())
    else open = { kind: 'text', parts: [raw.replace(/^\s*>\s?/, '').trim()], line }
  }
  yield* close()
}

/** Links of a vault as their words, marks of blocks gone. */
export function plainText(text: string): string {
  return text
    .replaceAll(/!?\[\[([^\]|]+)\|([^\]]+)\]\]/g, '$2')
    .replaceAll(/!?\[\[([^\]]+)\]\]/g, '$1')
    .replace(/\s+\^[\w-]+$/, '')
    .trim()
}

const INLINE_TAG = /(?:^|\s)#([\p{L}\p{N}_][\p{L}\p{N}_/-]*)/gu
/** An item shorter than this may not be understood without the heading above it. */
const SHORT_ITEM = 200

export const inlineTags = (text: string): string[] =>
  [...text.matchAll(INLINE_TAG)].map((found) => found[1] ?? '').filter((tag) => !/^\d+$/.test(tag))

/** The claims of a text. Code, tables, tasks and what only includes another file are none. */
export function* markdownClaims(markdown: string, about: About, at: Place): Generator<Found> {
  for (const block of blocksOf(markdown, at.line ?? 1)) {
    if (block.kind === 'code' || block.kind === 'task') {
      yield left(block.kind)
      continue
    }
    const text = plainText(block.text)
    const named =
      block.kind === 'item' && block.heading !== '' && text !== '' && text.length < SHORT_ITEM
        ? `${plainText(block.heading)}: ${text}`
        : text
    const place = { path: at.path, line: block.line }
    yield claimOf(named, { ...about, tags: [...(about.tags ?? []), ...inlineTags(text)], trace: `${about.trace}:${block.line}` }, place)
  }
}
