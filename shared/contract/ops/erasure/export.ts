import { z } from 'zod'
import { DateTime, JsonValue } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { erasureScope, ErasureScopeType, requester } from '../../erasure.ts'

export const ErasureExportSection = z.object({
  rows: z.array(z.record(z.string(), JsonValue)),
  truncated: z.boolean().describe('More exist.'),
})
export type ErasureExportSection = z.infer<typeof ErasureExportSection>

export const EXPORT_SECTIONS = ['memory', 'knowledge', 'conversations', 'conversation_threads', 'agent_events', 'audit_log'] as const
export type ExportSection = (typeof EXPORT_SECTIONS)[number]

export const erasureExport = declareOp({
  name: 'erasure.export',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'admin',
  sync: 'local',
  host: 'engine',
  identity: 'org',
  platformNamesOrg: true,
  onRepeat: 'again',
  summary: 'Exports the rows about a user, a namespace or several, section by section.',
  input: z.object({
    ...erasureScope,
    requester,
    include_tombstoned: z.boolean().default(true).describe('Deleted memories and conversations too.'),
    section_limit: z.int().min(1).max(100_000).default(10_000).describe('Most rows of each section.'),
  }),
  output: z.object({
    exported_at: DateTime,
    org: z.string(),
    scope_type: ErasureScopeType,
    scope_value: z.string(),
    requester: z.string(),
    counts: z.record(z.enum(EXPORT_SECTIONS), z.int()),
    memory: ErasureExportSection.describe('Heads, by key.'),
    knowledge: ErasureExportSection.describe('Chunks of the documents of the namespace, or of those that the user wrote.'),
    conversations: ErasureExportSection.describe('Messages, oldest first, up to a budget of text.'),
    conversation_threads: ErasureExportSection,
    agent_events: ErasureExportSection.describe('Requests, newest first.'),
    audit_log: ErasureExportSection.describe('For a user: rows that name them as user, in their name, or as actor.'),
  }),
  errors: [],
})
