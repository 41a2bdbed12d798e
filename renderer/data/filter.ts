import type { MemoryType, Status } from '../../shared/contract/common.ts'
import type { CallInputOf } from '../../shared/contract/registry.ts'

export type StatusFilter = 'current' | 'conflicted' | 'duplicate' | 'superseded' | 'tombstoned' | 'waiting'

/** What the list shows. `query` is "" while browsing. */
export interface Filter {
  /** Left out of calls when empty: the install then fills in its default. */
  readonly namespace: string
  /** Search every namespace the person may read; browsing is always one namespace. */
  readonly everywhere: boolean
  readonly query: string
  readonly status: StatusFilter
  readonly type: MemoryType | ''
  readonly tag: string
}

export const NO_FILTER: Omit<Filter, 'namespace'> = { everywhere: false, query: '', status: 'current', type: '', tag: '' }

const STATUSES: Readonly<Record<StatusFilter, Status[]>> = {
  current: ['active', 'conflicted'],
  conflicted: ['conflicted'],
  duplicate: ['duplicate'],
  superseded: ['superseded'],
  tombstoned: ['tombstoned'],
  // What was retired here is told to the team like any other change.
  waiting: ['active', 'conflicted', 'duplicate', 'proposed', 'tombstoned'],
}

/**
 * Ranked search knows current facts and procedures. Retired rows, events and profiles are found by words, which is
 * memory.list with a text.
 */
export function isRanked(filter: Filter): boolean {
  return filter.query !== '' && filter.status === 'current' && filter.type !== 'episodic' && filter.type !== 'profile'
}

const scope = (filter: Filter): { namespace?: string } => (filter.namespace ? { namespace: filter.namespace } : {})

export function searchInput(filter: Filter, cursor: string | null): CallInputOf<'memory.search'> {
  return {
    ...scope(filter),
    query: filter.query.slice(0, 4000),
    top_k: 50,
    search_mode: 'hybrid',
    include_conflicted: true,
    include_usage: true,
    // A person looking around is no recall: it must not count towards what agents used.
    auto_touch: false,
    ...(filter.everywhere ? { namespace_scope: ['*'] } : {}),
    ...(filter.type ? { memory_type: filter.type } : {}),
    ...(filter.tag ? { tags: [filter.tag] } : {}),
    ...(cursor ? { cursor } : {}),
  }
}

export function listInput(filter: Filter, cursor: string | null): CallInputOf<'memory.list'> {
  return {
    ...scope(filter),
    status: STATUSES[filter.status],
    sort: 'updated',
    // The first page is what a start waits for; later ones feed the scroll bar of a long list.
    limit: cursor ? 500 : 100,
    with_total: !cursor,
    ...(filter.status === 'waiting' ? { provisional: true } : {}),
    ...(filter.type ? { memory_type: [filter.type] } : {}),
    ...(filter.tag ? { tags_any: [filter.tag] } : {}),
    ...(filter.query ? { text: filter.query.slice(0, 200) } : {}),
    ...(cursor ? { cursor } : {}),
  }
}
