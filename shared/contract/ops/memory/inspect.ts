import { z } from 'zod'
import { ConflictVerdict, DateTime, JsonValue, MemoryKey, Peer, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Row } from '../../row.ts'

export const memoryInspect = declareOp({
  name: 'memory.inspect',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'exact',
  summary: 'Everything the engine holds about one row: verdict, index, links, and what the judge reads in it.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.optional().describe('This or memory_id.'),
    memory_id: Str.min(1).max(64).optional().describe('This or memory_key.'),
  }),
  output: z.object({
    found: z.boolean(),
    row: Row.nullable(),
    verdict: z
      .object({
        verdict: ConflictVerdict,
        confidence: z.number(),
        unsure: z.boolean(),
        judge_version: z.string(),
        judged_at: DateTime.nullable(),
        judged_by: z.enum(['local', 'server']),
        peers: z.array(Peer),
        pairs: z.array(z.string()),
      })
      .nullable(),
    index: z
      .object({
        embedded: z.boolean(),
        vectors: z.array(z.object({ axis: z.enum(['value', 'key']), model: z.string(), dim: z.int() })),
        indexed_text: z.string(),
        chunks: z.int(),
        stale: z.boolean(),
        why_not: z.string(),
      })
      .nullable(),
    links: z.int(),
    shared: z.object({ version: U64, version_text: z.string(), at: DateTime, actor: z.string(), stale: z.boolean() }).nullable(),
    sync: z
      .object({
        state: z.enum(['none', 'synced', 'queued', 'sending', 'quarantined']),
        base_version: U64.nullable(),
        server_version: U64.nullable(),
        last_error: z.string(),
        change_ids: z.array(z.string()),
      })
      .nullable(),
    collapse: z.object({ canonical_key: z.string() }).nullable(),
    claim: JsonValue.nullable(),
  }),
  errors: ['AMBIGUOUS_KEY'],
  needsOneOf: ['memory_key', 'memory_id'],
})
