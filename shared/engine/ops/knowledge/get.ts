import type { Sensitivity } from '../../../contract/common.ts'
import type { Input, Output } from '../../../contract/declare.ts'
import { isLoomError } from '../../../contract/errors.ts'
import { knowledgeGet as contract } from '../../../contract/ops/knowledge/get.ts'
import { startOf } from '../../../domain/search/excerpt.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { chunksOfDocument, type ChunkRow } from '../../store/document-chunks.ts'
import { documentView, findDocument, readableBy, textOf, type Document } from '../../store/documents.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

/** More chunks than this hold more than the longest answer. */
const MOST_CHUNKS = 10_000

async function wholeText(document: Document, { section }: Call, { db }: ReadContext): Promise<string> {
  if (section.length === 0) return textOf(db, document)
  const chunks = await chunksOfDocument(db, document.org, document.document_id, section, 0, MOST_CHUNKS)
  return chunks.map((chunk) => chunk.text).join('\n\n')
}

async function textPart(document: Document, input: Call, context: ReadContext): Promise<Partial<Answer>> {
  const whole = await wholeText(document, input, context)
  const rest = whole.slice(input.offset)
  // A character beyond the basic plane is two units: at least it goes whole.
  const text = startOf(rest, input.max_chars) || startOf(rest, 2)
  const next = input.offset + text.length
  return { text, next_offset: next < whole.length ? next : null }
}

function chunkView({ chunk_index, section, page, line_from, line_to, text, sensitivity }: ChunkRow) {
  return {
    index: chunk_index,
    section,
    page,
    lines: line_from === null || line_to === null ? null : { from: line_from, to: line_to },
    text,
    sensitivity: sensitivity as Sensitivity,
  }
}

/** As many chunks as the budget holds, one at least. */
async function chunkPart(document: Document, { section, offset, max_chars }: Call, { db }: ReadContext): Promise<Partial<Answer>> {
  const rows = await chunksOfDocument(db, document.org, document.document_id, section, offset, MOST_CHUNKS)
  const shown: ChunkRow[] = []
  let room = max_chars
  for (const row of rows) {
    room -= row.text.length
    if (room < 0 && shown.length > 0) break
    shown.push(row)
  }
  const next = rows[shown.length]
  return { chunk_list: shown.map(chunkView), next_offset: next?.chunk_index ?? null }
}

/** The bytes; of a document that came from the team's server, the server's, where it answers. */
async function original({ object, document_id }: Document, context: ReadContext): Promise<Partial<Answer>> {
  const { parts, identity } = context
  const bytes = object === '' ? null : await parts.objects.get(object)
  if (bytes) return { content_base64: Buffer.from(bytes).toString('base64') }
  const { sync } = parts
  if (sync?.connection?.org !== identity.org) return { content_base64: null }
  const { org, namespace } = identity
  try {
    const answer = await sync.forward(contract, { org, namespace, document_id, include: 'original' }, context)
    return { content_base64: typeof answer['content_base64'] === 'string' ? answer['content_base64'] : null }
  } catch (error) {
    if (isLoomError(error) && error.code === 'UNAVAILABLE') return { content_base64: null }
    throw error
  }
}

const PARTS = {
  text: textPart,
  chunks: chunkPart,
  original: (document: Document, _input: Call, context: ReadContext) => original(document, context),
}

export const knowledgeGet = defineRead(contract, async (input, context): Promise<Answer> => {
  const document = await findDocument(context.db, input, readableBy(context.caller), context)
  if (!document) return { found: false }
  const part = input.include === 'none' ? {} : await PARTS[input.include](document, input, context)
  return { found: true, ...documentView(document), ...part }
})
