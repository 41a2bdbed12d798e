import type { Selectable } from 'kysely'
import { parseJson } from '../../contract/json.ts'
import type { Hit } from '../../contract/row.ts'
import { excerpt } from '../../domain/search/excerpt.ts'
import { why } from '../../domain/search/why.ts'
import type { UsageColumns } from '../db/tables.ts'
import type { SearchHit } from '../index/types.ts'
import { claimOfHead } from '../store/head-claim.ts'
import type { Head } from '../store/memories.ts'
import { isVerified } from '../write/state.ts'
import { iso, usageView } from '../store/row-view.ts'

export interface HitOptions {
  readonly terms: ReadonlySet<string>
  readonly explain: boolean
  readonly includeUsage: boolean
}

/** A ranked row as memory.search answers it, without its body. */
export function hitView(
  head: Head,
  hit: SearchHit,
  usage: Selectable<UsageColumns> | undefined,
  conflicts: readonly string[],
  options: HitOptions,
): Hit {
  const claim = claimOfHead(head)
  const counts = usageView(usage)
  return {
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    namespace: head.namespace,
    agent: head.agent,
    user_id: head.user_id,
    session_id: head.session_id,
    memory_type: head.memory_type as Hit['memory_type'],
    content_excerpt: excerpt(claim, options.terms),
    similarity: hit.similarity,
    distance: 1 - hit.similarity,
    rank_score: hit.rankScore,
    below_threshold: !hit.near,
    tags: head.tags,
    entities: head.entities,
    pinned: head.pinned,
    status: head.status as Hit['status'],
    superseded_by: head.superseded_by,
    superseded_at: iso(head.superseded_at),
    verified: isVerified(head),
    source_class: head.source_class as Hit['source_class'],
    source_resource_id: head.source_resource_id,
    source: hit.memoryId === head.memory_id ? 'row' : 'shared',
    version: head.version,
    version_text: head.version.toString(),
    created_at: head.created_at.toISOString(),
    updated_at: head.updated_at.toISOString(),
    valid_at: iso(head.valid_at),
    valid_to: iso(head.valid_to),
    temporal_anchor: iso(head.temporal_anchor),
    temporal_confidence: head.temporal_confidence,
    derived_from: [],
    resolved_from: '',
    confidence: head.confidence,
    body_truncated: false,
    why: why(hit),
    conflicts: [...conflicts],
    chunk: hit.chunk,
    next: 'memory.get',
    score_components: options.explain ? { ...hit.components } : null,
    ...(options.includeUsage && {
      reinforcement_count: counts.reinforcement_count,
      used_count: counts.used_count,
      used_cited_count: counts.used_cited_count,
      acted_count: counts.acted_count,
      harm_count: counts.harm_count,
      evidence_count: counts.evidence_count,
    }),
  }
}

/** Characters a token, for budgets. */
export const CHARS_PER_TOKEN = 4

/**
 * Adds whole values to hits, in order, while the budget lasts; one that does not fit is left out and marked.
 * @param heads of the hits, in the same order
 */
export function addBodies(hits: Hit[], heads: readonly Head[], budgetTokens: number): { returned: number; elided: number; tokens: number } {
  let tokens = 0
  let returned = 0
  for (const [at, hit] of hits.entries()) {
    const value = heads[at]?.value ?? null
    const cost = Math.ceil((value?.length ?? 0) / CHARS_PER_TOKEN)
    if (value === null || tokens + cost > budgetTokens) {
      hit.body_truncated = true
      continue
    }
    hit.value = parseJson(value) as Hit['value']
    tokens += cost
    returned++
  }
  return { returned, elided: hits.length - returned, tokens }
}

/** The hits as text for a reader: a line each with its key; unattested external rows are left out. */
export function readerBlock(hits: readonly Hit[]): string {
  return hits
    .filter((hit) => !hit.below_threshold && (hit.source_class !== 'external' || hit.verified))
    .map((hit) => `[${hit.memory_key}] ${hit.content_excerpt.replace(/\s+/g, ' ')}`)
    .join('\n')
}
