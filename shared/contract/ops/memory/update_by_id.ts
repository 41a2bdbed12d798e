import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { updateAnswer, updateFields } from './update.ts'

export const memoryUpdateById = declareOp({
  name: 'memory.update_by_id',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'org',
  summary: 'Corrects exactly one row, by its memory_id.',
  input: z.object({ org: Name.optional(), memory_id: Str.min(1).max(64), ...updateFields }),
  output: z.object(updateAnswer),
  errors: ['EXPIRED', 'PRECONDITION_FAILED', 'CHAR_LIMIT_EXCEEDED', 'BLACKLISTED', 'LOCKED'],
  notOverMcp: ['char_limit'],
})
