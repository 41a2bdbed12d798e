import { z } from 'zod'
import { DateTime, JsonValue, MemoryKey, U64, U64In, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { jsonBytes } from '../../run.ts'

const MOST_BYTES = 65_536

export const workingMemorySet = declareOp({
  name: 'working_memory.set',
  group: 'knowledge',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'write',
  sync: 'local',
  host: 'engine',
  identity: 'exact',
  summary: 'Parks scratch state under a key: a cursor, a draft. Never embedded, ranked or judged; the last write wins.',
  input: z.object({
    ...id5,
    key: MemoryKey,
    value: JsonValue.refine((value) => jsonBytes(value) <= MOST_BYTES, 'must be at most 64 KiB as JSON'),
    ttl_seconds: z.int().min(1).max(7_776_000).default(604_800),
    if_version: U64In.optional().describe('Only on this version; 0: only when the key is free.'),
  }),
  output: z.object({ key: z.string(), version: U64, version_text: z.string(), created: z.boolean(), expires_at: DateTime }),
  errors: ['PRECONDITION_FAILED'],
})
