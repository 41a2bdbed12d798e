import { createHash } from 'node:crypto'
import { chunksOf } from '../../domain/knowledge/chunks.ts'
import { headingText, type Outline } from '../../domain/knowledge/outline.ts'
import { detectSensitivity } from '../../domain/sensitivity/detect.ts'
import { decodeHtml, decodeText } from './decode.ts'
import { fileName, type Format } from './format.ts'
import { unreadable } from './refusal.ts'

/** What is read: a text as a call gave it, or the bytes of a file. */
export interface Unread {
  readonly content: string | Uint8Array
  readonly format: Format
  /** Path or URL, which is never opened. */
  readonly source: string
  /** "" : the document's own. */
  readonly title: string
}

export interface ReadChunk {
  readonly section: readonly string[]
  readonly page: number | null
  readonly lines: { readonly from: number; readonly to: number } | null
  /** Where it begins in the text, in UTF-16 units. */
  readonly startAt: number
  readonly text: string
  readonly detected: '' | 'high' | 'medium'
}

export interface ReadDocument {
  readonly text: string
  readonly title: string
  readonly pages: number | null
  /** Of the bytes given; of a text, those of its UTF-8. */
  readonly sha256: string
  readonly chunks: readonly ReadChunk[]
}

/** How far into a text its first line is looked for. */
const FIRST_LINES = 4000

function plainOutline(text: string): Outline {
  return {
    text,
    title: '',
    parts: [{ path: [], heading: 0, from: 0, to: text.length, page: null }],
    solid: [],
    pages: null,
    hasLines: true,
  }
}

async function outlineOf({ content, format }: Unread): Promise<Outline> {
  // Each parser is loaded when a document of its kind comes, and not before.
  if (format === 'pdf') {
    if (typeof content === 'string') throw unreadable('is no PDF: send its bytes in content_base64.', 'text')
    return (await import('./pdf.ts')).outlineOfPdf(content)
  }
  if (format === 'html') {
    const { outlineOfHtml } = await import('./html.ts')
    return typeof content === 'string' ? outlineOfHtml(content, 'text') : outlineOfHtml(decodeHtml(content), 'content_base64')
  }
  const text = typeof content === 'string' ? content : decodeText(content)
  return format === 'text' ? plainOutline(text) : (await import('./markdown.ts')).outlineOfMarkdown(text)
}

function titleOf({ title, source }: Unread, { title: own, parts, text }: Outline): string {
  if (title !== '') return title
  const heading = parts.find((part) => part.path.length > 0)?.path.at(-1) ?? ''
  const line = /\S[^\r\n]*/.exec(text.slice(0, FIRST_LINES))?.[0] ?? ''
  return headingText(own || heading || fileName(source) || line)
}

/**
 * Reads a document whole: its text, cut into chunks, each with the sensitivity that it calls for. Pure work, of seconds
 * for a large file: it belongs on a thread of its own.
 * @throws LoomError INVALID_ARGUMENT for content that is not the format, and for one that holds no text
 */
export async function readDocument(unread: Unread): Promise<ReadDocument> {
  const { content } = unread
  const sha256 = createHash('sha256').update(content).digest('hex')
  // A parser may take over the bytes that it is given.
  const outline = await outlineOf({ ...unread, content: typeof content === 'string' ? content : Uint8Array.from(content) })
  const { text } = outline
  const chunks = chunksOf(outline).map(({ from, to, section, page, lines }): ReadChunk => {
    const own = text.slice(from, to)
    return { section, page, lines, startAt: from, text: own, detected: detectSensitivity(own) }
  })
  if (chunks.length === 0) throw unreadable('holds no text.', typeof content === 'string' ? 'text' : 'content_base64')
  return { text, title: titleOf(unread, outline), pages: outline.pages, sha256, chunks }
}
