import { z } from 'zod'
import { MemoryKey, U64In, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const workingMemoryDelete = declareOp({
  name: 'working_memory.delete',
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
  summary: 'Drops scratch state.',
  input: z.object({ ...id5, key: MemoryKey, if_version: U64In.optional().describe('Only on this version.') }),
  output: z.object({ found: z.boolean(), deleted: z.boolean() }),
  errors: ['PRECONDITION_FAILED'],
})
