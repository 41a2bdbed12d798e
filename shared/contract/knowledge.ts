import { z } from 'zod'
import { DateTime, JsonValue, Name, Sensitivity, SourceClass, Str, U64 } from './common.ts'

/** A document, its places and its chunks, as the operations on knowledge tell them. */

export const DocumentFormat = z.enum(['markdown', 'text', 'html', 'pdf'])
export type DocumentFormat = z.infer<typeof DocumentFormat>

export const Collection = Name.describe('Name of the collection.')
export const DocumentId = Str.min(1).max(200)
export const DocumentKey = Str.min(1).max(512)
export const Sha256In = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in 64 lowercase hex digits')

/** One document of a call: by its id, or by its key in a collection. */
export const documentAt = {
  document_id: DocumentId.optional(),
  document_key: DocumentKey.optional(),
  collection: Collection.default('default'),
}

export const Lines = z.object({ from: z.int(), to: z.int() }).describe('Counted from 1.')

export const documentFields = {
  document_id: z.string(),
  document_key: z.string(),
  collection: z.string(),
  title: z.string(),
  format: DocumentFormat,
  source: z.string(),
  tags: z.array(z.string()),
  metadata: JsonValue,
  sensitivity: Sensitivity,
  content_sha256: z.string().describe('Of the bytes given.'),
  chars: z.int().describe('Length of its text, as offset and max_chars count: in UTF-16 units.'),
  chunks: z.int(),
  pages: z.int().nullable(),
  version: U64,
  version_text: z.string(),
  created_at: DateTime,
  updated_at: DateTime,
  agent: z.string(),
  user_id: z.string(),
  actor: z.string(),
  source_class: SourceClass,
} as const
export const DocumentView = z.object(documentFields)
export type DocumentView = z.infer<typeof DocumentView>
