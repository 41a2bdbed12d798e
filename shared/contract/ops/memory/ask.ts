import { z } from 'zod'
import { DateTime, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Hit } from '../../row.ts'
import { ConflictNote, Query, searchFilters } from '../../search.ts'

const { memory_type, tags, tags_soft, tag_boost, category, entity_filter, run_id, session_ids, read_scope } = searchFilters
const { namespace_scope, search_mode, include_superseded, include_conflicted, min_confidence } = searchFilters
const { as_of, as_of_basis, observation_date } = searchFilters

export const Citation = z.object({
  n: z.int(),
  memory_key: z.string(),
  memory_id: z.string(),
  version: U64,
  version_text: z.string(),
  quote: z.string(),
  valid_at: DateTime.nullable(),
  created_at: DateTime,
})
export type Citation = z.infer<typeof Citation>

/** What is told of an answer while a model writes it. */
export const AskProgress = z.object({
  kind: z
    .enum(['evidence', 'sentence', 'restart'])
    .describe(
      'evidence: a model was given so many pieces; sentence: one more stands; restart: the model failed, what was told counts for nothing.',
    ),
  text: z
    .string()
    .describe('A sentence as it stands in the answer, checked against what it cites. Joined by spaces the sentences are the answer.'),
  supported: z.boolean().describe('false: what it cites does not bear it out, and the text says so.'),
  citations: z.array(Citation).describe('Those that the sentence is the first to name.'),
  evidence: z.int(),
})
export type AskProgress = z.infer<typeof AskProgress>

export const memoryAsk = declareOp({
  name: 'memory.ask',
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
  summary: 'Answers a question from memory, with citations, or says that memory does not know.',
  advice: 'When abstain is true, say that you do not know.',
  input: z.object({
    query: Query,
    ...id5,
    top_k: z.int().min(1).max(50).default(10),
    memory_type,
    tags,
    tags_soft,
    tag_boost,
    category,
    entity_filter,
    run_id,
    session_ids,
    read_scope,
    namespace_scope,
    search_mode,
    include_superseded,
    include_conflicted,
    min_confidence,
    as_of,
    as_of_basis,
    observation_date,
    allow_synthesis: z.boolean().default(true).describe('false: the sentences themselves, even where a model is set.'),
    max_answer_chars: z.int().min(100).max(8000).default(1200),
    bodies: z.boolean().default(false),
    body_budget_tokens: z.int().min(100).max(100_000).default(4000),
    reinforce: z.boolean().default(false),
    llm_cache: z.boolean().default(true),
    auto_touch: z.boolean().default(true),
  }),
  output: z.object({
    answer: z.string(),
    source: z.enum(['extractive', 'synthesis', 'none']),
    abstain: z.boolean(),
    abstain_code: z.enum(['', 'empty', 'filtered', 'nothing_near', 'external_only', 'not_supported']),
    abstain_reason: z.string(),
    citations: z.array(Citation),
    memory_keys: z.array(z.string()),
    results: z.array(Hit),
    conflicts: z.array(ConflictNote),
    external_dropped: z.int(),
    superseded_dropped: z.int(),
    cited_sessions: z.array(z.string()),
    grounding: z.number().min(0).max(1),
    synth_model: z.string(),
    pending_extraction: z.int(),
    next: z.string(),
    degraded: z.array(z.string()),
  }),
  progress: AskProgress,
  errors: [],
  example: { input: { query: 'Which days do we deploy?' } },
})
