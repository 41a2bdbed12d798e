import { z } from 'zod'
import { Name } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Promoted, promoteFields } from './promote.ts'

export const memoryCrossPromote = declareOp({
  name: 'memory.cross_promote',
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
  summary: 'Puts a copy of a row on the shared shelf of another namespace.',
  advice: 'Not judged there: a shared copy is no memory row. Erasing either namespace removes it.',
  input: z.object({ ...promoteFields, to_namespace: Name.describe('Another namespace; writer is needed there too.') }),
  output: Promoted.extend({ to_namespace: z.string() }),
  errors: ['FORBIDDEN', 'AMBIGUOUS_KEY'],
})
