import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Queryable, Tx } from '../../db/database.ts'
import { objectFolder } from '../../objects/object-store.ts'
import type { EngineParts } from '../../parts.ts'
import { lockErasures } from '../fence.ts'
import { before, placed, type Scope } from '../scope.ts'
import type { Store } from '../store.ts'

/** What lies outside the database: originals of documents, and backups. */

/** A call that keeps an original has its row written a moment later. */
const IN_FLIGHT_MS = 1000

async function foldersOf(db: Queryable, { org, namespaces, userId }: Scope): Promise<string[]> {
  const { rows } = await sql<{ namespace: string }>`SELECT namespace FROM loom.namespace WHERE org = ${org}`.execute(db)
  const names = namespaces ?? rows.map((row) => row.namespace)
  return names.map((namespace) => objectFolder({ org, namespace, ...(userId !== '' && { user_id: userId }) }))
}

const isOfCollection = (name: string, { collection }: Scope): boolean => collection === '' || name.split('/')[3] === `${collection}~`

/** Originals under the folders of the scope that no document will name which stays. */
async function unnamed(db: Queryable, scope: Scope, { objects }: EngineParts): Promise<string[]> {
  const names: string[] = []
  for (const folder of await foldersOf(db, scope)) names.push(...(await objects.list(folder)).filter((name) => isOfCollection(name, scope)))
  if (names.length === 0) return []
  const ofCollection = scope.collection === '' ? sql`true` : sql`d.collection = ${scope.collection}`
  const { rows } = await sql<{ name: string }>`SELECT n.name FROM unnest(${names}::text[]) AS n(name) WHERE NOT EXISTS (SELECT 1
    FROM loom.knowledge_document d WHERE d.org = ${scope.org} AND d.object = n.name AND d.erased_by = ''
      AND NOT (${placed('d', scope)} AND ${before('d', scope)} AND ${ofCollection}))`.execute(db)
  return rows.map((row) => row.name)
}

/** Removes the originals of the scope; one whose row is just being written stays. Answers how many went. */
export async function removeOriginals(
  scope: Scope,
  parts: EngineParts,
  batch: <T>(run: (tx: Tx) => Promise<T>) => Promise<T>,
): Promise<number> {
  const seen = new Set(await unnamed(parts.database.reader, scope, parts))
  if (seen.size === 0) return 0
  await sleep(IN_FLIGHT_MS)
  return batch(async (tx) => {
    // Writes under way end first: what they name is seen.
    await lockErasures(tx, parts.database.kind, scope.org)
    const names = (await unnamed(tx, scope, parts)).filter((name) => seen.has(name))
    for (const name of names) await parts.objects.remove(name)
    return names.length
  })
}

export const OBJECT_STORE: Store = {
  key: 'objects.document_originals',
  step: 'delete.blobs',
  tables: [],
  count: async (db, scope, parts) => (await unnamed(db, scope, parts)).length,
  // Not in a transaction of the database: see removeOriginals.
  erase: () => Promise.resolve(0),
}

export const BACKUP_STORE: Store = {
  key: 'backups',
  step: 'purge.vacuum',
  tables: [],
  covers: ({ purge }) => purge,
  count: async (_db, { purgedAt }, { backups }) => (backups === null ? 0 : backups.count(purgedAt ?? undefined)),
  erase: () => Promise.resolve(0),
}
