import type { Status } from '../../shared/contract/common.ts'
import type { Hit, ListRow } from '../../shared/contract/row.ts'

/** The five fields that, with the key, say which row is meant. */
export interface Identity {
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
}

/**
 * A memory as the list holds it: only what a row shows, since 100,000 of them may be in memory at once. The reader
 * asks for the rest.
 */
export interface Item extends Identity {
  readonly id: string
  readonly key: string
  readonly excerpt: string
  readonly withheld: boolean
  readonly status: Status
  readonly pinned: boolean
  readonly locked: boolean
  /** Written here, and the team's server has not answered yet. */
  readonly waiting: boolean
  /** It stands against a current memory; one that did when it was written, and does no more, is not in conflict. */
  readonly inConflict: boolean
  readonly tags: readonly string[]
  /** "" where the answer does not say (search results). */
  readonly actor: string
  readonly updatedAt: string
  readonly recalled: number
  /** How often it was said again, by whomever. */
  readonly confirmed: number
  readonly restorableUntil: string | null
  readonly tombstonedAt: string | null
  /** Why it was found; empty when browsing. */
  readonly why: readonly string[]
  /** Keys it stands against, as far as the answer says. */
  readonly against: readonly string[]
}

/** Names and tags come again and again; each is kept once. */
const kept = new Map<string, string>()
const MOST_KEPT = 10_000

function once(text: string): string {
  const known = kept.get(text)
  if (known !== undefined) return known
  if (kept.size < MOST_KEPT) kept.set(whole(text), text)
  return text
}

/**
 * The text in one piece. A lossless parser builds its strings letter by letter; kept as they come, each is a chain of
 * hundreds of parts (measured: ten of eleven MB at 6,000 rows). Reading one letter joins it.
 */
function whole(text: string): string {
  text.charCodeAt(0)
  return text
}

const NONE: readonly string[] = []
const allOnce = (texts: readonly string[]): readonly string[] => (texts.length ? texts.map(once) : NONE)

const identityOf = (row: ListRow | Hit): Identity => ({
  namespace: once(row.namespace),
  agent: once(row.agent),
  user_id: once(row.user_id),
  session_id: once(row.session_id),
})

export function fromListRow(row: ListRow): Item {
  return {
    ...identityOf(row),
    id: whole(row.memory_id),
    key: whole(row.memory_key),
    excerpt: whole(row.excerpt),
    withheld: row.withheld,
    status: row.status,
    pinned: row.pinned,
    locked: row.locked,
    waiting: row.provisional,
    inConflict: row.open_conflicts > 0,
    tags: allOnce(row.tags),
    actor: once(row.actor),
    updatedAt: whole(row.tombstoned_at ?? row.updated_at),
    recalled: row.recall_count,
    confirmed: row.reinforcement_count,
    restorableUntil: row.restorable_until,
    tombstonedAt: row.tombstoned_at,
    why: NONE,
    against: NONE,
  }
}

export function fromHit(hit: Hit): Item {
  return {
    ...identityOf(hit),
    id: whole(hit.memory_id),
    key: whole(hit.memory_key),
    excerpt: whole(hit.content_excerpt),
    withheld: false,
    status: hit.status,
    pinned: hit.pinned,
    locked: false,
    waiting: false,
    inConflict: hit.conflicts.length > 0,
    tags: hit.tags,
    actor: '',
    updatedAt: hit.updated_at,
    recalled: 0,
    confirmed: hit.reinforcement_count ?? 0,
    restorableUntil: null,
    tombstonedAt: null,
    why: hit.why,
    against: hit.conflicts,
  }
}
