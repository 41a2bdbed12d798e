import type { PrepareContext, WriteContext } from '../../handler.ts'
import { boundOf } from '../../identity.ts'
import { writeAudit } from '../../store/audit.ts'
import { categoryLink, categoryNamed, linkCategory } from '../../store/categories.ts'
import { headsOfKey, lockKeys } from '../../store/memories.ts'
import { transact } from '../../transact.ts'
import { announce } from '../revise-row.ts'
import { isLive } from '../state.ts'

type LinkNote = 'category_unregistered' | 'category_refused' | 'category_not_linked' | 'category_rescinded'

interface Wanted {
  readonly key: string
  readonly category: string
  /** The key holds the fact, or would after a real run. */
  readonly holds: boolean
  readonly dry_run: boolean
}

/** A link that is stored, live or rescinded, stays as it is. */
export async function linkUnlessStored(
  { key, category }: Pick<Wanted, 'key' | 'category'>,
  write: WriteContext,
): Promise<{ memory_id: string }> {
  const { tx, identity, now, actor, caller, parts } = write
  const { org, namespace } = identity
  await lockKeys(tx, parts.database.kind, [`${org}/${namespace}/${key}`])
  const live = (await headsOfKey(tx, org, namespace, key, {})).filter((head) => isLive(head, now))
  const memory_id = live[0]?.memory_id ?? ''
  // Another's, or a rescind, that came in between stands.
  if ((await categoryLink(tx, org, namespace, key, category)) !== null) return { memory_id }
  const named = await categoryNamed(tx, org, namespace, category)
  if (named === null || named.retired) return { memory_id }
  await linkCategory(tx, org, namespace, key, category, { actor, at: now, rescinded_at: null })
  const subject = `memory:-/-/-/${key}`
  const row = { op: 'memory.import', at: now, org, actor, requestId: caller.requestId, subject, namespace, memory_key: key, memory_id }
  await writeAudit(tx, [row])
  for (const head of live) await announce(head, write)
  return { memory_id }
}

/**
 * Puts a key into a registered category, as memory.assign_category does; answers why not, or null where it is in it. A link
 * that is stored is never touched (IMP041-049).
 */
export async function linkOrNote(wanted: Wanted, context: PrepareContext): Promise<LinkNote | null> {
  const { db, identity, caller } = context
  const { key, category } = wanted
  const stored = await categoryLink(db, identity.org, identity.namespace, key, category)
  if (stored) return stored.rescinded_at === null ? null : 'category_rescinded'
  const bound = boundOf(caller)
  if (bound.user_id !== undefined || bound.session_id !== undefined) return 'category_refused'
  const named = await categoryNamed(db, identity.org, identity.namespace, category)
  if (named === null || named.retired) return 'category_unregistered'
  if (!wanted.holds) return 'category_not_linked'
  if (wanted.dry_run) return null
  const replay = { op: 'memory.assign_category', via: 'memory.import', args: { memory_key: key, category } }
  await transact({ ...context, now: new Date(context.parts.clock()), replay }, (write) => linkUnlessStored(wanted, write))
  return null
}
