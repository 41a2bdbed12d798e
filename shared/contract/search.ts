import { z } from 'zod'
import { AgentName, DateTimeIn, Entity, MemoryKey, MemoryType, Str, SubjectName, Tag } from './common.ts'
import { AsOfBasis } from './ops/memory/get.ts'

/** Fields of calls and answers that the operations share which look for memories. */

export const Query = Str.min(1).max(4000)

export const ReadScope = z.enum(['namespace', 'agent', 'user', 'session', 'run'])

/** What a call may narrow and weigh; each has a default that does neither. */
export const searchFilters = {
  memory_type: MemoryType.optional(),
  tags: z.array(Tag).max(64).optional(),
  tags_soft: z.array(Tag).max(64).optional(),
  tag_boost: z.number().min(0).max(1).default(0.1),
  category: Str.max(128).default(''),
  entity_filter: z.array(Entity).max(64).optional(),
  exclude_keys: z.array(MemoryKey).max(1000).optional(),
  run_id: Str.max(200).default(''),
  session_ids: z.array(SubjectName).max(1000).optional(),
  read_scope: ReadScope.default('namespace'),
  namespace_scope: z.array(Str.max(127)).max(50).default([]),
  search_mode: z.enum(['hybrid', 'lexical', 'vector']).default('hybrid'),
  include_superseded: z.boolean().default(false),
  include_duplicates: z.boolean().default(false),
  include_proposed: z.boolean().default(false),
  include_conflicted: z.boolean().optional(),
  include_top_n_unmatched: z.int().min(0).max(50).default(0),
  min_confidence: z.number().min(0).max(1).default(0),
  as_of: DateTimeIn.nullable().optional(),
  as_of_basis: AsOfBasis.default('valid_time'),
  observation_date: DateTimeIn.optional().describe('What "last week" in the query counts from; now when left out.'),
}

export const agentAlias = { agent_id: AgentName.optional().describe('Taken as agent.') }

export const namespacesSkipped = z.array(z.object({ namespace: z.string(), reason: z.string() }))

/** Two facts that stand against each other, and why. */
export const ConflictNote = z.object({ memory_keys: z.array(z.string()), note: z.string() })
export type ConflictNote = z.infer<typeof ConflictNote>
