import { z } from 'zod'
import { MemoryKey, Str, Tag, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const SOURCE_SKIPS = ['locked', 'pinned', 'conflicted', 'high', 'not_live'] as const

export const memoryConsolidate = declareOp({
  name: 'memory.consolidate',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: false,
  audited: true,
  toolset: 'named',
  rate: 'admin',
  sync: 'server',
  host: 'engine',
  identity: 'exact',
  summary: 'Builds one summary row from several, and with retire_sources retires these.',
  input: z.object({
    ...id5,
    keys: z.array(MemoryKey).min(2).max(200).optional().describe('Sources: these keys.'),
    key_prefix: Str.min(1).max(512).optional().describe('Sources: keys that start so.'),
    entity: Str.min(1).max(256).optional().describe('Sources: rows that name it.'),
    tag: Tag.optional().describe('Sources: rows that carry it.'),
    summary_key: MemoryKey.optional().describe('summary/ and the slug of the prefix, entity, tag or first key when left out.'),
    retire_sources: z.boolean().default(false),
    limit: z.int().min(2).max(200).default(50),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    summary_key: z.string(),
    memory_id: z.string(),
    version: U64,
    version_text: z.string(),
    value: z.string(),
    derived_from: z.array(z.object({ memory_key: z.string(), memory_id: z.string() })),
    retired: z.array(z.string()),
    skipped: z.array(z.object({ memory_key: z.string(), reason: z.enum(SOURCE_SKIPS) })),
    noop: z.boolean(),
    dry_run: z.boolean(),
    degraded: z.array(z.string()),
  }),
  errors: ['PINNED_CONFLICT', 'LOCKED'],
  needsOneOf: ['keys', 'key_prefix', 'entity', 'tag'],
})
