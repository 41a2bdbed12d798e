import { z } from 'zod'
import { MemoryKey, Name } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const REINDEX_PARTS = ['embeddings', 'lexical', 'entities'] as const

export const memoryReindex = declareOp({
  name: 'memory.reindex',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'admin',
  sync: 'local',
  host: 'engine',
  identity: 'namespace',
  summary: 'Rebuilds vectors, word index or extracted entities of rows in a resumable job. No row gets a new version.',
  advice: 'A job of the same scope that runs is answered, not started twice. Search works meanwhile, and says degraded.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    what: z.enum(['all', ...REINDEX_PARTS]).default('all'),
    keys: z.array(MemoryKey).max(1000).default([]).describe('All rows when left out.'),
    wait: z.boolean().default(false).describe('Answer when it is done, or after 60 s.'),
  }),
  output: z.object({
    job_id: z.string(),
    state: z.enum(['queued', 'running', 'done']),
    rows_total: z.int(),
    rows_done: z.int(),
    embedding_model: z.string(),
    degraded: z.array(z.string()),
  }),
  errors: [],
})
