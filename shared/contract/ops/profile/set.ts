import { z } from 'zod'
import { JsonValue, MemoryKey, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { SHAPED_ERRORS, shapedFields } from '../../shaped.ts'
import { claimAnswer } from '../memory/set.ts'

export const profileSet = declareOp({
  name: 'profile.set',
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
  summary: 'Stores one attribute of a person or an agent. Read by key; never searched.',
  input: z.object({
    ...shapedFields,
    attribute: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, 'must be 1 to 100 of a-z, 0-9, dot, underscore and hyphen'),
    value: JsonValue,
    subject: Str.min(1).max(200).optional().describe('user_id when left out, or agent when that is "-".'),
    built_from: z.array(MemoryKey).max(64).default([]).describe('Keys that it was made of: redacting one of them scrubs this too.'),
  }),
  output: z.object(claimAnswer),
  errors: [...SHAPED_ERRORS],
})
