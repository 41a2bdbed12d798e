import type { Input } from '../../contract/declare.ts'
import type { memorySearch } from '../../contract/ops/memory/search.ts'
import { fold } from '../../domain/text/fold.ts'
import type { ReadContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import type { HotIndex, IndexedDoc } from '../index/types.ts'
import { roleIn } from '../rights.ts'
import { keysInCategory } from '../store/categories.ts'
import { hiddenTags } from '../write/sensitivity.ts'

export type SearchInput = Input<typeof memorySearch>

/** A condition on rows, by the name of the field or property that it looks at. */
export interface Check {
  readonly name: string
  readonly holds: (doc: IndexedDoc) => boolean
}

export interface Scope {
  readonly searched: readonly string[]
  readonly skipped: readonly { readonly namespace: string; readonly reason: string }[]
  /** Rows in scope, before the filters. */
  readonly inScope: (doc: IndexedDoc) => boolean
  readonly passes: (doc: IndexedDoc) => boolean
  /** What `inScope` asks, in parts: whose rows, and which of them are served. */
  readonly narrows: readonly Check[]
  readonly served: readonly Check[]
  /** What `passes` asks, in parts. */
  readonly filters: readonly Check[]
  /** Whether every row of an index that is active or conflicted and has no end in time is in scope and passes: nothing narrows the search. */
  readonly takesAll: (index: HotIndex) => boolean
}

/** The namespaces of a search: the call's own, then those it names, as far as the token reaches (`*` = all it reads). */
async function namespacesOf(input: SearchInput, context: ReadContext): Promise<Pick<Scope, 'searched' | 'skipped'>> {
  const { org, namespace } = context.identity
  const named = input.namespace_scope.includes('*')
    ? (await context.db.selectFrom('namespace').select('namespace').where('org', '=', org).orderBy('namespace').execute()).map(
        (row) => row.namespace,
      )
    : input.namespace_scope
  const wanted = [...new Set([namespace, ...named])]
  const reaches = (name: string): boolean => roleIn(context.caller.claims, org, name) !== null
  return {
    searched: wanted.filter(reaches),
    skipped: wanted
      .filter((name) => !reaches(name) && input.namespace_scope.includes(name))
      .map((name) => ({ namespace: name, reason: 'forbidden' })),
  }
}

function narrowing(input: SearchInput, context: ReadContext) {
  const { identity, given } = context
  const own = {
    namespace: {},
    agent: { agent: identity.agent },
    user: { user_id: identity.user_id },
    session: { session_id: identity.session_id },
    run: {},
  }[input.read_scope]
  return { agent: given.agent ?? input.agent_id, user_id: given.user_id, session_id: given.session_id, ...own, ...boundOf(context.caller) }
}

const lowered = (items: readonly string[] | undefined): Set<string> => new Set((items ?? []).map(fold))

/** Which rows a search may find: its scope, then its filters, then what is served at all. */
export async function scopeOf(input: SearchInput, context: ReadContext): Promise<Scope> {
  const { searched, skipped } = await namespacesOf(input, context)
  const { org } = context.identity
  const now = context.now.getTime()
  const narrow = narrowing(input, context)
  const tags = lowered(input.tags)
  const entities = lowered(input.entity_filter)
  const excluded = new Set(input.exclude_keys)
  const inCategory = input.category === '' ? null : await keysInCategory(context.db, org, searched, input.category)
  const sessions = input.session_ids === undefined ? null : new Set(input.session_ids)
  const hidesConflicted = new Set<string>()
  const hidden = new Map<string, ReadonlySet<string>>()
  const named = lowered([...(input.tags ?? []), ...(input.tags_soft ?? [])])
  for (const namespace of searched) {
    const settings = await context.parts.settings.get(context.db, org, namespace)
    if (!(input.include_conflicted ?? settings.default_conflict_policy !== 'keep_existing')) hidesConflicted.add(namespace)
    const unnamed = [...hiddenTags(settings)].filter((tag) => !named.has(tag))
    if (unnamed.length > 0) hidden.set(namespace, new Set(unnamed))
  }
  const isHidden = (doc: IndexedDoc): boolean => {
    const tagsHidden = hidden.get(doc.namespace)
    return tagsHidden !== undefined && doc.tags.some((tag) => tagsHidden.has(fold(tag)))
  }
  const status = (doc: IndexedDoc): boolean => {
    if (doc.status === 'active') return true
    if (doc.status === 'conflicted') return !hidesConflicted.has(doc.namespace)
    if (doc.status === 'duplicate') return input.include_duplicates || input.run_id !== ''
    if (doc.status === 'superseded') return input.include_superseded
    return doc.status === 'proposed' && input.include_proposed
  }
  const current = (doc: IndexedDoc): boolean =>
    (doc.expiresAt === null || doc.expiresAt > now) && (doc.validTo === null || doc.validTo > now)
  // Only what the call asks for is asked of each of perhaps 100,000 rows.
  const filters: Check[] = [
    ...when(input.memory_type !== undefined, 'memory_type', (doc) => doc.memoryType === input.memory_type),
    ...when(input.run_id !== '', 'run_id', (doc) => doc.runId === input.run_id),
    ...when(sessions !== null, 'session_ids', (doc) => sessions?.has(doc.sessionId) === true),
    ...when(input.min_confidence > 0, 'min_confidence', (doc) => doc.confidence >= input.min_confidence),
    ...when(tags.size > 0, 'tags', (doc) => doc.tags.some((tag) => tags.has(fold(tag)))),
    ...when(entities.size > 0, 'entity_filter', (doc) => doc.entities.some((entity) => entities.has(entity))),
    ...when(inCategory !== null, 'category', (doc) => inCategory?.has(`${doc.namespace}\n${doc.memoryKey}`) === true),
    ...when(excluded.size > 0, 'exclude_keys', (doc) => !excluded.has(doc.memoryKey)),
  ]
  const narrows: Check[] = [
    ...when(narrow.agent !== undefined, 'agent', (doc) => doc.agent === narrow.agent),
    ...when(narrow.user_id !== undefined, 'user_id', (doc) => doc.userId === narrow.user_id),
    ...when(narrow.session_id !== undefined, 'session_id', (doc) => doc.sessionId === narrow.session_id),
  ]
  return {
    searched,
    skipped,
    narrows,
    served: [
      { name: 'memory_type', holds: (doc) => doc.searchable },
      { name: 'expired', holds: current },
      { name: 'status', holds: status },
      { name: 'hidden_tag', holds: (doc) => !isHidden(doc) },
    ],
    filters,
    takesAll: (index) =>
      narrows.length + filters.length + hidesConflicted.size === 0 &&
      [...hidden].every(([namespace, names]) => [...names].every((tag) => !index.hasTag(org, namespace, tag))),
    inScope: (doc) => doc.searchable && current(doc) && narrows.every(({ holds }) => holds(doc)) && status(doc) && !isHidden(doc),
    passes: (doc) => filters.every(({ holds }) => holds(doc)),
  }
}

const when = (asked: boolean, name: string, holds: Check['holds']): Check[] => (asked ? [{ name, holds }] : [])
