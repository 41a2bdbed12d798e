import { sql } from 'kysely'
import type { PrepareContext, ReadContext } from '../../handler.ts'
import { boundOf } from '../../identity.ts'
import type { Head } from '../../store/memories.ts'
import type { Content } from '../content.ts'
import { isExpired } from '../state.ts'

/** What the newest version of a key says of writing it from a source again. */
export type Standing =
  /** No row, or none that counts. */
  | { readonly kind: 'free' }
  /** The key was taken out of use: a source does not bring it back. */
  | { readonly kind: 'deleted' | 'superseded' | 'rejected' | 'proposed' | 'unknown'; readonly head: Head }
  | { readonly kind: 'same' | 'other'; readonly head: Head }

/** Redirects that are followed at most. */
const FARTHEST = 16

/**
 * The newest version of each key, whatever its status, tombstones and what an erasure left among them (IMP025-027).
 * @param sessions every one of the identity that the token may read, or the call's own alone.
 */
async function newestOf(
  keys: readonly string[],
  sessions: 'readable' | 'own',
  { db, identity, caller }: ReadContext,
): Promise<Map<string, Head>> {
  const session = sessions === 'own' ? identity.session_id : boundOf(caller).session_id
  const rows = await db
    .selectFrom('memory')
    .selectAll()
    .where('org', '=', identity.org)
    .where('namespace', '=', identity.namespace)
    .where('agent', '=', identity.agent)
    .where('user_id', '=', identity.user_id)
    .where('memory_key', '=', sql<string>`any(${[...keys]}::text[])`)
    .$if(session !== undefined, (query) => query.where('session_id', '=', session ?? ''))
    .orderBy('version', 'asc')
    .execute()
  return new Map(rows.map((row) => [row.memory_key, row]))
}

function standingOf(head: Head, content: Content, now: Date): Standing {
  if (head.erased_by !== '' || head.status === 'tombstoned') return { kind: 'deleted', head }
  switch (head.status) {
    case 'superseded':
    case 'rejected':
    case 'proposed':
      return { kind: head.status, head }
    case 'active':
    case 'conflicted':
    case 'duplicate':
      // Past its end and not yet swept: as the sweep will leave it.
      if (isExpired(head, now) && head.on_expire === 'tombstone') return { kind: 'deleted', head }
      if (isExpired(head, now) && head.on_expire === 'anonymize') return { kind: 'other', head }
      return { kind: head.value === content.compact ? 'same' : 'other', head }
    default:
      return { kind: 'unknown', head }
  }
}

/** How each of these contents stands, by key. A redirect is decided by the row it leads to (deleted if there is none). */
export async function standings(
  contents: readonly Content[],
  sessions: 'readable' | 'own',
  context: PrepareContext,
): Promise<Map<string, Standing>> {
  const newest = await newestOf(
    contents.map((content) => content.key),
    sessions,
    context,
  )
  const found = new Map<string, Standing>()
  for (const content of contents) {
    const first = newest.get(content.key)
    let head = first
    for (let step = 0; head?.status === 'redirect' && head.erased_by === '' && step < FARTHEST; step++) {
      head = (await newestOf([head.canonical_key], sessions, context)).get(head.canonical_key)
    }
    if (first && (!head || head.status === 'redirect')) found.set(content.key, { kind: 'deleted', head: first })
    else found.set(content.key, head ? standingOf(head, content, context.now) : { kind: 'free' })
  }
  return found
}
