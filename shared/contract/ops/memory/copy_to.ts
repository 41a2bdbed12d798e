import { z } from 'zod'
import { AgentName, ConflictVerdict, MemoryKey, Name, Status, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { RowFilter } from './apply.ts'

export const COPY_SKIPS = ['exists', 'unchanged', 'high', 'locked', 'pinned', 'pinned_peer', 'blacklist', 'not_found'] as const

export const memoryCopyTo = declareOp({
  name: 'memory.copy_to',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'bulk',
  sync: 'replay',
  host: 'engine',
  identity: 'selector',
  summary: 'Copies rows into another namespace, where each is judged as a write of its own. The source is not touched.',
  advice: 'Pins, locks, expiry and counters stay behind, and rows of high sensitivity are never copied. No webhook hears of it.',
  input: z.object({
    ...id5,
    to_namespace: Name.describe('Another namespace, unless to_org names another org.'),
    to_org: Name.optional().describe('The connected org, from org dev of a desktop alone. Left out: the same org.'),
    keys: z.array(MemoryKey).min(1).max(1000).optional().describe('What to copy: these keys.'),
    filter: RowFilter.optional().describe('What to copy: rows that pass all of these.'),
    limit: z.int().min(1).max(1000).optional().describe('Needed with filter.'),
    to_agent: AgentName.optional().describe("The row's own when left out."),
    overwrite: z.boolean().default(false).describe('Revise a live row of the key under its guards, instead of leaving it.'),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    copied: z.array(
      z.object({
        memory_key: z.string(),
        memory_id: z.string(),
        to_memory_id: z.string(),
        status: Status,
        conflict_verdict: ConflictVerdict,
      }),
    ),
    merged: z.array(z.object({ memory_key: z.string(), merged_into_key: z.string() })),
    skipped: z.array(z.object({ memory_key: z.string(), reason: z.enum(COPY_SKIPS) })),
    dry_run: z.boolean(),
  }),
  errors: ['FORBIDDEN'],
  needsOneOf: ['keys', 'filter'],
})
