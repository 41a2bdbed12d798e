import { z } from 'zod'
import { DateTime, Str, Tags, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Collection, DocumentId, Lines } from '../../knowledge.ts'

export const KnowledgeHit = z.object({
  document_id: z.string(),
  document_key: z.string(),
  collection: z.string(),
  title: z.string(),
  section: z.array(z.string()),
  page: z.int().nullable(),
  lines: Lines.nullable(),
  chunk: z.int(),
  excerpt: z.string(),
  score: z.number().min(0).max(1),
  why: z.array(z.string()),
  source: z.string(),
  updated_at: DateTime,
})
export type KnowledgeHit = z.infer<typeof KnowledgeHit>

export const knowledgeSearch = declareOp({
  name: 'knowledge.search',
  group: 'knowledge',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'search',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Finds passages of documents by words and meaning, each cited by document, section and lines.',
  input: z.object({
    ...id5,
    query: Str.min(1).max(4000),
    collections: z.array(Collection).max(50).default([]).describe('Left out: all of them.'),
    tags: Tags.optional().describe('Documents with any of these.'),
    document_id: DocumentId.optional(),
    top_k: z.int().min(1).max(100).default(10),
    per_document: z.int().min(1).max(20).default(3).describe('Most passages of one document.'),
    excerpt_chars: z.int().min(50).max(1200).default(500),
  }),
  output: z.object({
    results: z.array(KnowledgeHit),
    abstain: z.boolean(),
    abstain_reason: z.string(),
    degraded: z.array(z.string()),
  }),
  errors: ['NOT_FOUND'],
})
