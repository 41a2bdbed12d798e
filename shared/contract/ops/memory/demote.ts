import { z } from 'zod'
import { MemoryKey, Name } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryDemote = declareOp({
  name: 'memory.demote',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'namespace',
  summary: "Takes a shared copy off the namespace's shelf; the row is not touched.",
  advice: 'Not the demote action of memory.apply, which lowers confidence.',
  input: z.object({ org: Name.optional(), namespace: Name.optional(), memory_key: MemoryKey }),
  output: z.object({ demoted: z.boolean(), reason: z.enum(['', 'not_found']), memory_key: z.string() }),
  errors: [],
})
