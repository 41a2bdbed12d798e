import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { IndexedDoc } from '../../index/types.ts'
import type { EngineParts } from '../../parts.ts'
import { placed, type Scope } from '../scope.ts'
import type { Store } from '../store.ts'

/** The search index in the memory of this process. A hit is read back from its table before it is served. */

/** Ids in the index that the scope reaches, whatever became of their rows. */
function indexed({ org, namespaces, userId }: Scope, names: readonly string[], parts: EngineParts): string[] {
  const ids: string[] = []
  parts.index.some(org, namespaces ?? names, (doc: IndexedDoc): boolean => {
    if (userId === '' || doc.userId === userId) ids.push(doc.memoryId)
    return false
  })
  return ids
}

async function stale(db: Queryable, scope: Scope, parts: EngineParts): Promise<string[]> {
  const { rows: names } = await sql<{ namespace: string }>`SELECT namespace FROM loom.namespace WHERE org = ${scope.org}
    UNION SELECT namespace FROM loom.erasure_target WHERE org = ${scope.org} AND erasure_id = ${scope.erasureId}`.execute(db)
  const ids = indexed(
    scope,
    names.map((row) => row.namespace),
    parts,
  )
  if (ids.length === 0) return []
  const { rows } = await sql<{ memory_id: string }>`SELECT i.memory_id FROM unnest(${ids}::text[]) AS i(memory_id) WHERE NOT EXISTS (
    SELECT 1 FROM loom.memory m WHERE m.org = ${scope.org} AND m.memory_id = i.memory_id AND m.erased_by = '' AND (m.erasure_seq >= ${scope.seq} OR NOT ${placed('m', scope)}))`.execute(
    db,
  )
  return rows.map((row) => row.memory_id)
}

export const INDEX_STORE: Store = {
  key: 'index.hot',
  step: 'clear.caches',
  tables: [],
  covers: ({ collection }) => collection === '',
  // The index holds what was committed a moment ago, which the census, one look at all tables, need not see yet. A PGlite
  // has one connection, and nobody commits beside it.
  count: async (db, scope, parts) => (await stale(parts.database.kind === 'pglite' ? db : parts.database.reader, scope, parts)).length,
  async erase(tx, scope, parts) {
    const ids = await stale(tx, scope, parts)
    for (const id of ids) parts.index.remove(id)
    parts.embeddings.clear()
    for (const index of [parts.library.documents, parts.library.conversations]) index.forget(scope.org, scope.namespaces)
    return 0
  },
}
