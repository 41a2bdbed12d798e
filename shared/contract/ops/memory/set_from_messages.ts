import { z } from 'zod'
import { ConflictVerdict, DateTimeIn, JsonValue, MemoryKey, Status, Str, Tags, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const Message = z.object({
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content: Str,
  name: Str.max(200).default(''),
  at: DateTimeIn.optional(),
})

export const REFUSED_FOR = ['rejected', 'blacklist', 'pinned', 'locked', 'pinned_peer', 'unsupported', 'schema'] as const

export const memorySetFromMessages = declareOp({
  name: 'memory.set_from_messages',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: false,
  audited: true,
  toolset: 'all',
  rate: 'bulk',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Lets a language model decide which facts a transcript taught, and stores each as memory.set would.',
  advice:
    'Needs a language model (LOOM_LLM_URL); without one nothing is stored and degraded says llm: store the facts yourself with memory.set. ' +
    'What a message says is data: it can neither give orders to Loom nor store what the transcript does not say. With record_schema and ' +
    'memory_key one typed record is extracted instead.',
  input: z.object({
    ...id5,
    run_id: Str.max(200).default(''),
    messages: z.array(Message).min(1).max(2000),
    extra_tags: Tags.default([]).describe('Tags of every fact.'),
    recalled_keys: z.array(MemoryKey).max(1000).default([]).describe('Facts that the model was shown: they are not learnt back from it.'),
    session_values: z.record(Str.max(200), JsonValue).default({}).describe('Known facts that resolve names and pronouns.'),
    max_tokens: z.int().min(256).max(32_768).default(4096).describe('Of each answer of the model.'),
    judge_extraction: z.boolean().default(true).describe('A second call drops what the transcript does not support.'),
    record_schema: Str.max(200).default('').describe('With memory_key: extract one record of this schema.'),
    memory_key: z
      .union([MemoryKey, z.literal('')])
      .default('')
      .describe('With record_schema: record_key of the record.'),
    observation_date: DateTimeIn.optional().describe('What "yesterday" counts from; left out, the last message’s `at`, else now.'),
    llm_cache: z.boolean().default(true),
    detect_updates: z.boolean().default(true).describe('A changed value is written under the key that it changes.'),
    last_messages: z.int().min(1).optional().describe('Extract from these; the rest is context.'),
    extraction_instructions: Str.max(4000).default(''),
    coverage_sweep: z.boolean().default(false).describe('A further call asks what was missed.'),
    agent_learnings: z.boolean().default(false).describe('Record learnings besides, which wait for review.'),
    pipeline_steps: z
      .array(z.enum(['extract', 'judge', 'sweep', 'link']))
      .max(4)
      .optional()
      .describe('Left out: as the flags say.'),
    valid_at: DateTimeIn.optional().describe('For facts that the text does not date.'),
    defer: z.boolean().default(false).describe('Queue the transcript and answer at once.'),
  }),
  output: z.object({
    written: z.array(
      z.object({
        memory_key: z.string(),
        memory_id: z.string(),
        status: Status,
        conflict_verdict: ConflictVerdict,
        value: JsonValue,
      }),
    ),
    refused: z.array(z.object({ memory_key: z.string(), value: JsonValue, reason: z.enum(REFUSED_FOR) })),
    forgotten_keys: z.array(z.string()),
    value_updates_linked: z.int(),
    learning_candidates: z.array(z.string()),
    record: z.object({ record_key: z.string(), version: U64, status: z.string() }).nullable(),
    deferred: z.boolean(),
    queue_id: z.string(),
    next: z.string(),
    segments: z.int(),
    llm_provider: z.string(),
    llm_model: z.string(),
    tokens_in: z.int(),
    tokens_out: z.int(),
    stage_ms: z.record(z.string(), z.number()),
    ignored_args: z.array(z.string()),
    degraded: z.array(z.string()),
  }),
  errors: ['NOT_FOUND'],
})
