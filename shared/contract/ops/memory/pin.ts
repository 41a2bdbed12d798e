import { z } from 'zod'
import { id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { claimAnswer, claimFields } from './set.ts'

export const memoryPin = declareOp({
  name: 'memory.pin',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'core',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Saves a standing fact that later sets cannot replace.',
  advice: 'Correct a pinned fact with memory.update. Writes of other keys that contradict or restate a pinned fact are refused.',
  input: z.object({ ...id5, ...claimFields, pinned: z.literal(true).default(true) }),
  output: z.object(claimAnswer),
  errors: ['PINNED_CONFLICT', 'PRECONDITION_FAILED', 'CHAR_LIMIT_EXCEEDED', 'BLACKLISTED', 'LOCKED'],
  notOverMcp: ['char_limit'],
})
