import { z } from 'zod'
import { DateTime, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Grade, RunOutcome, RunStatus } from '../../run.ts'
import { ConflictNote, ReadScope } from '../../search.ts'

/** The parts of a bundle, in the order in which they are filled. */
export const Section = z.enum([
  'pinned',
  'profile',
  'memories',
  'decisions',
  'learnings',
  'procedures',
  'documents',
  'conversations',
  'runs',
])
export type Section = z.infer<typeof Section>

export const contextPack = declareOp({
  name: 'context.pack',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'core',
  rate: 'search',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'One bundle to start a piece of work with: facts, decisions, procedures, documents and recent runs, within a budget.',
  advice: 'Call it once when a task begins; read `text`.',
  input: z.object({
    ...id5,
    mode: z.enum(['task', 'primer']).default('task').describe('primer: no query; what stands, and the latest.'),
    query: Str.max(4000).default('').describe('What the task is; needed for task.'),
    situation: Str.max(4000).default('').describe('Matched with procedures.'),
    top_k: z.int().min(1).max(100).default(20),
    token_budget: z.int().min(200).max(100_000).default(4000),
    only_sections: z.array(Section).max(Section.options.length).default([]).describe('All when empty.'),
    read_scope: ReadScope.default('namespace'),
    include_runs: z.boolean().default(true),
    include_decisions: z.boolean().default(true),
    include_knowledge: z.boolean().default(true),
    include_conversations: z.boolean().default(false),
    include_chunks: z.boolean().default(true),
    runs_limit: z.int().min(0).max(50).default(5),
    run_id: Str.max(200).default(''),
  }),
  output: z.object({
    sections: z.array(
      z.object({
        name: Section,
        items: z.array(
          z.object({
            ref: z.string(),
            kind: z.enum(['memory', 'document', 'conversation', 'run']),
            title: z.string(),
            text: z.string(),
            tokens: z.int(),
            memory_id: z.string(),
            at: DateTime.nullable(),
            why: z.array(z.string()),
            flags: z.array(z.enum(['conflicted', 'unsure', 'stale', 'external'])),
          }),
        ),
        tokens: z.int(),
        elided: z.int(),
      }),
    ),
    text: z.string(),
    tokens: z.int(),
    token_budget: z.int(),
    memory_keys: z.array(z.string()),
    runs: z.array(
      z.object({
        run_id: z.string(),
        goal: z.string(),
        status: RunStatus,
        outcome: RunOutcome.nullable(),
        grade: Grade.nullable(),
        tool_calls: z.int(),
        files: z.array(z.string()),
        completed_at: DateTime.nullable(),
      }),
    ),
    conflicts: z.array(ConflictNote),
    external_dropped: z.int(),
    abstain: z.boolean(),
    pending_extraction: z.int(),
    next: z.string(),
    degraded: z.array(z.string()),
  }),
  errors: [],
  example: { input: { query: 'roll back the payments release', token_budget: 600 } },
})
