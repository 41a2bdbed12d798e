import type { OpName } from './registry.ts'

/**
 * What the short list of tools shows of an operation: a model reads it before every piece of work, so that each field
 * costs. The others are taken all the same; loom_op with op="help" tells of them.
 */
export interface Brief {
  readonly fields: readonly string[]
  /** Fields of the answer; all of them when left out. */
  readonly answer?: readonly string[]
}

const PLACE = ['namespace']
const OF_ONE = [...PLACE, 'user_id', 'session_id']
const STORED = ['memory_id', 'memory_key', 'status', 'conflict_verdict', 'peers', 'next', 'merged_into_key', 'advisories', 'version']

/** Fields that most calls of the core operations use. */
export const BRIEFS: Readonly<Partial<Record<OpName, Brief>>> = {
  'blacklist.add': {
    fields: ['pattern', 'pattern_type', 'scope', 'reason', 'sweep', ...PLACE],
    answer: ['blacklist_id', 'created', 'swept'],
  },
  'context.pack': {
    fields: ['query', 'mode', 'situation', 'token_budget', 'only_sections', 'run_id', ...PLACE],
    answer: ['text', 'sections', 'tokens', 'memory_keys', 'conflicts', 'abstain'],
  },
  'memory.apply': {
    fields: ['keys', 'filter', 'search', 'limit', 'action', 'expire', 'lock', 'label', 'demote', 'reason', 'dry_run', ...PLACE],
  },
  'memory.ask': {
    fields: ['query', 'top_k', 'tags', 'entity_filter', 'as_of', 'max_answer_chars', ...PLACE],
    answer: ['answer', 'abstain', 'abstain_reason', 'citations', 'conflicts', 'results'],
  },
  'memory.delete': { fields: ['memory_key', 'reason', ...PLACE], answer: ['found', 'tombstoned', 'restorable_until'] },
  'memory.get': {
    fields: ['memory_key', 'follow', 'fields', 'as_of', ...OF_ONE],
    answer: ['found', 'reason', 'next', 'value', 'status', 'tags', 'valid_at', 'canonical_key', 'content_sha256', 'version'],
  },
  'memory.history': {
    fields: ['memory_key', 'memory_id', 'limit', 'cursor', ...PLACE],
    answer: ['found', 'head_status', 'rows', 'next_cursor'],
  },
  'memory.lock': { fields: ['memory_key', 'mode', 'reason', 'until', ...PLACE] },
  'memory.pin': { fields: ['memory_key', 'value', 'tags', 'entities', ...PLACE], answer: STORED },
  'memory.search': {
    fields: ['query', 'top_k', 'cursor', 'tags', 'entity_filter', 'namespace_scope', 'include_superseded', 'as_of', 'bodies', ...OF_ONE],
    answer: ['results', 'abstain', 'abstain_reason', 'next_cursor', 'degraded'],
  },
  'memory.set': {
    fields: [
      'memory_key',
      'value',
      'tags',
      'entities',
      'files',
      'memory_type',
      'source_class',
      'source_resource_id',
      'ttl_seconds',
      'valid_at',
      'if_match_sha256',
      'run_id',
      ...OF_ONE,
    ],
    answer: STORED,
  },
  'memory.update': {
    fields: ['memory_key', 'value', 'tags', 'valid_at', 'if_match_sha256', ...PLACE],
    answer: ['updated', 'reason', ...STORED],
  },
  search: {
    fields: ['query', 'kinds', 'limit', 'tags', 'namespace_scope', 'as_of', ...PLACE],
    answer: ['results', 'counts', 'abstain', 'abstain_reason'],
  },
}
