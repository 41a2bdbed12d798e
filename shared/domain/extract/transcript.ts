/** A transcript, cut into parts that a model can read. Pure. */

export interface Message {
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly content: string
  readonly name: string
  readonly at?: string | undefined
}

/** A message, or a piece of a long one, with its place in the transcript. */
export interface Line extends Message {
  /** Counted from 0. */
  readonly n: number
}

export interface Segment {
  /** What facts are looked for in. */
  readonly lines: readonly Line[]
  /** What went before it: read, and not learnt from. */
  readonly context: readonly Line[]
}

/** Characters of one part: about 6,000 tokens of English, so that small models read it whole. */
export const SEGMENT_CHARACTERS = 24_000
const CONTEXT_CHARACTERS = 4_000

function pieces(message: Message, n: number): Line[] {
  const characters = [...message.content]
  if (characters.length <= SEGMENT_CHARACTERS) return [{ ...message, n }]
  const parts: Line[] = []
  for (let at = 0; at < characters.length; at += SEGMENT_CHARACTERS)
    parts.push({ ...message, n, content: characters.slice(at, at + SEGMENT_CHARACTERS).join('') })
  return parts
}

/** The end of what went before, as much as fits. */
function contextOf(before: readonly Line[]): Line[] {
  const kept: Line[] = []
  let left = CONTEXT_CHARACTERS
  for (const line of before.toReversed()) {
    if (left <= 0) break
    const characters = [...line.content]
    kept.unshift({ ...line, content: characters.slice(Math.max(0, characters.length - left)).join('') })
    left -= characters.length
  }
  return kept
}

/** @param last only these many messages are learnt from; the ones before them are context */
export function segmentsOf(messages: readonly Message[], last: number | undefined): Segment[] {
  const from = last === undefined ? 0 : Math.max(0, messages.length - last)
  const lines = messages.flatMap(pieces)
  const segments: Segment[] = []
  let current: Line[] = []
  let size = 0
  const close = (end: number): void => {
    if (current.length > 0) segments.push({ lines: current, context: contextOf(lines.slice(0, end - current.length)) })
    current = []
    size = 0
  }
  lines.forEach((line, at) => {
    if (line.n < from) return
    if (current.length > 0 && size + line.content.length > SEGMENT_CHARACTERS) close(at)
    current.push(line)
    size += line.content.length
  })
  close(lines.length)
  return segments
}
