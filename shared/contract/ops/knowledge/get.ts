import { z } from 'zod'
import { Sensitivity, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { DocumentView, Lines, documentAt } from '../../knowledge.ts'

export const knowledgeGet = declareOp({
  name: 'knowledge.get',
  group: 'knowledge',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Reads a document: its text, its chunks, or the bytes that it came as.',
  input: z.object({
    ...id5,
    ...documentAt,
    include: z.enum(['text', 'chunks', 'original', 'none']).default('text'),
    section: z.array(Str.max(300)).max(6).default([]).describe('Heading path, outermost first: that section and those under it.'),
    offset: z.int().min(0).default(0).describe('Where text or chunks go on: next_offset of the answer before.'),
    max_chars: z.int().min(1).max(1_000_000).default(50_000),
  }),
  output: DocumentView.partial().extend({
    found: z.boolean(),
    text: z.string().nullable().optional(),
    chunk_list: z
      .array(
        z.object({
          index: z.int(),
          section: z.array(z.string()),
          page: z.int().nullable(),
          lines: Lines.nullable(),
          text: z.string(),
          sensitivity: Sensitivity,
        }),
      )
      .nullable()
      .optional(),
    content_base64: z
      .string()
      .nullable()
      .optional()
      .describe('null where the bytes are on the team server alone, and that does not answer.'),
    next_offset: z.int().nullable().optional().describe('null at the end.'),
  }),
  errors: ['AMBIGUOUS_KEY'],
  needsOneOf: ['document_id', 'document_key'],
})
