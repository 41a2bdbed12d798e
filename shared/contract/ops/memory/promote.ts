import { z } from 'zod'
import { MemoryKey, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

/** What memory.promote and memory.cross_promote share. */
export const promoteFields = { ...id5, memory_key: MemoryKey, note: Str.max(500).default('') }

export const Promoted = z.object({
  promoted: z.boolean(),
  reason: z.enum(['', 'not_found', 'expired', 'sensitivity', 'conflicted']),
  memory_key: z.string(),
  shared_version: U64.describe('Version of the row that the shared copy is of.'),
  shared_version_text: z.string(),
  replaced: z.boolean().describe('A shared copy lay there before.'),
})

export const memoryPromote = declareOp({
  name: 'memory.promote',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: "Puts a copy of a row on the namespace's shared shelf, where tokens bounded to a user or session can read it.",
  advice: 'The copy stays as it is when the row changes: promote it again. It leaves with the row, or by memory.demote.',
  input: z.object(promoteFields),
  output: Promoted,
  errors: ['AMBIGUOUS_KEY'],
})
