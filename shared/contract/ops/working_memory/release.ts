import { z } from 'zod'
import { MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const workingMemoryRelease = declareOp({
  name: 'working_memory.release',
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
  summary: 'Gives a lease back.',
  input: z.object({ ...id5, name: MemoryKey, lease_id: Str.min(1).max(200) }),
  output: z.object({ released: z.boolean() }),
  errors: [],
})
