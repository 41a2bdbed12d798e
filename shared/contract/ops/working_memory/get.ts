import { z } from 'zod'
import { DateTime, JsonValue, MemoryKey, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const workingMemoryGet = declareOp({
  name: 'working_memory.get',
  group: 'knowledge',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'exact',
  summary: 'Reads scratch state by its key.',
  input: z.object({ ...id5, key: MemoryKey }),
  output: z.object({
    found: z.boolean(),
    key: z.string(),
    value: JsonValue.nullable(),
    version: U64,
    version_text: z.string(),
    updated_at: DateTime.nullable(),
    expires_at: DateTime.nullable(),
  }),
  errors: [],
})
