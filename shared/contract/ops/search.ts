import { z } from 'zod'
import { DateTime, JsonValue, Tag, id5 } from '../common.ts'
import { declareOp } from '../declare.ts'
import { Hit } from '../row.ts'
import { Query, namespacesSkipped, searchFilters } from '../search.ts'

/** What can be searched, in the order in which equally near results stand. */
export const SearchKind = z.enum(['memory', 'profile', 'knowledge', 'conversation'])
export type SearchKind = z.infer<typeof SearchKind>

export const FoundResult = z.object({
  kind: SearchKind,
  ref: z.string(),
  id: z.string(),
  title: z.string(),
  excerpt: z.string(),
  score: z.number().min(0).max(1),
  why: z.array(z.string()),
  namespace: z.string(),
  at: DateTime.nullable(),
  open: z.object({ op: z.string(), arguments: z.record(z.string(), JsonValue) }),
  hit: Hit.nullable(),
})
export type FoundResult = z.infer<typeof FoundResult>

const { namespace_scope, read_scope, as_of, as_of_basis, observation_date } = searchFilters

export const search = declareOp({
  name: 'search',
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
  summary: 'One search over everything that can be searched: memories, profiles, documents, conversations.',
  advice: '`open` of a result is the call that reads it whole.',
  input: z.object({
    query: Query,
    ...id5,
    kinds: z.array(SearchKind).max(4).default([]).describe('All when empty.'),
    limit: z.int().min(1).max(50).default(10),
    tags: z.array(Tag).max(64).optional(),
    namespace_scope,
    read_scope,
    as_of,
    as_of_basis,
    observation_date,
  }),
  output: z.object({
    results: z.array(FoundResult),
    counts: z.record(z.string(), z.int()),
    abstain: z.boolean(),
    abstain_reason: z.string(),
    namespaces_skipped: namespacesSkipped,
    degraded: z.array(z.string()),
  }),
  errors: [],
  example: { input: { query: 'rollback of the payments release' } },
})
