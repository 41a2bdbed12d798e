import { z } from 'zod'
import { Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { SHAPED_ERRORS, Step, shapedFields, shapedKey } from '../../shaped.ts'
import { claimAnswer } from '../memory/set.ts'

export const procedureRecord = declareOp({
  name: 'procedure.record',
  group: 'runs',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Stores how something is done, step by step.',
  input: z.object({
    ...shapedFields,
    title: Str.min(1).max(200),
    situation: Str.max(1000).default(''),
    steps: z.array(Step).min(1).max(100).describe('Texts, or {do, check, why}.'),
    notes: Str.max(8000).default(''),
    memory_key: shapedKey('procedure', 'title'),
  }),
  output: z.object(claimAnswer),
  errors: [...SHAPED_ERRORS],
})
