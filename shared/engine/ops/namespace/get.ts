import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { namespaceGet as contract } from '../../../contract/ops/namespace/get.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { boundOf } from '../../identity.ts'
import { inSelector, isLiveRow } from '../../read/rows-in-scope.ts'
import { countsBy } from '../../read/statistics.ts'
import { inScope, readableBy } from '../../store/documents.ts'
import { withDefaults } from '../../store/namespaces.ts'
import { seenBy } from '../../store/runs.ts'
import { threadsInScope } from '../../store/threads.ts'

type Answer = Output<typeof contract>

async function countsOf(context: ReadContext): Promise<Answer['counts']> {
  const { db, identity, now, caller } = context
  const place = sql`org = ${identity.org} AND namespace = ${identity.namespace}`
  const { rows } = await sql<Omit<Answer['counts'] & object, 'by_status' | 'by_type'>>`SELECT
    (SELECT count(*)::int FROM loom.namespace_snapshot WHERE ${place}) AS snapshots,
    (SELECT count(*)::int FROM loom.memory_record r WHERE ${place} AND NOT tombstoned AND ${seenBy(caller, 'r')}) AS records,
    (SELECT count(*)::int FROM loom.knowledge_document d WHERE ${sql.join([...inScope(context), readableBy(caller)], sql` AND `)}) AS documents,
    (SELECT count(*)::int FROM loom.conversation_thread t WHERE ${sql.join(threadsInScope(context), sql` AND `)}) AS threads,
    (SELECT count(*)::int FROM loom.run r WHERE ${place} AND ${seenBy(caller, 'r')}) AS runs`.execute(db)
  return {
    by_status: await countsBy('status', inSelector(context), context),
    by_type: await countsBy('memory_type', sql`${inSelector(context)} AND ${isLiveRow(now)}`, context),
    records: rows[0]?.records ?? 0,
    documents: rows[0]?.documents ?? 0,
    threads: rows[0]?.threads ?? 0,
    runs: rows[0]?.runs ?? 0,
    snapshots: rows[0]?.snapshots ?? 0,
  }
}

export const namespaceGet = defineRead(contract, async (input, context): Promise<Answer> => {
  const { db, identity } = context
  const { org, namespace } = identity
  const row = await db.selectFrom('namespace').selectAll().where('org', '=', org).where('namespace', '=', namespace).executeTakeFirst()
  if (!row)
    throw new LoomError('NOT_FOUND', `There is no namespace ${namespace}: it was never registered and holds no row.`, {
      field: 'namespace',
    })
  // A bound token counts the keys of its own rows.
  const isBound = Object.keys(boundOf(context.caller)).length > 0
  const keysInSight = isBound
    ? sql`AND EXISTS (SELECT 1 FROM loom.memory m WHERE m.memory_key = k.memory_key AND ${inSelector(context)})`
    : sql``
  const { rows: categories } = await sql<Answer['categories'][number]>`SELECT c.category AS name, c.description, c.retired,
      (SELECT count(*)::int FROM loom.memory_category k WHERE k.org = c.org AND k.namespace = c.namespace
        AND k.category_key = c.category_key AND k.rescinded_at IS NULL ${keysInSight}) AS keys
    FROM loom.namespace_category c WHERE c.org = ${org} AND c.namespace = ${namespace} ORDER BY c.category_key`.execute(db)
  return {
    namespace,
    registered: row.registered,
    settings: withDefaults(row.settings),
    categories,
    counts: input.counts ? await countsOf(context) : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
})
