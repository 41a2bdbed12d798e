import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { Head } from './memories.ts'

/**
 * What follows a fact to the row of another key: everything that hangs on a memory_id, and what points at it. What the
 * row taken over had of its former life goes.
 */

async function carryCounters(tx: Tx, org: string, from: string, to: string): Promise<void> {
  for (const table of ['memory_usage', 'memory_outcome', 'learning_review'] as const) {
    await tx.deleteFrom(table).where('org', '=', org).where('memory_id', '=', to).execute()
    await tx.updateTable(table).set({ memory_id: to }).where('org', '=', org).where('memory_id', '=', from).execute()
  }
}

async function carryLinks(tx: Tx, org: string, from: string, to: string): Promise<void> {
  await sql`DELETE FROM loom.memory_link WHERE org = ${org} AND (from_id = ${to} OR to_id = ${to})`.execute(tx)
  await sql`UPDATE loom.memory_link SET from_id = CASE WHEN from_id = ${from} THEN ${to} ELSE from_id END,
      to_id = CASE WHEN to_id = ${from} THEN ${to} ELSE to_id END
    WHERE org = ${org} AND (from_id = ${from} OR to_id = ${from})`.execute(tx)
}

/** Judged pairs keep their state and who settled them; the name of a pair is made of its two ids. */
async function carryPairs(tx: Tx, org: string, from: string, to: string): Promise<void> {
  await sql`DELETE FROM loom.memory_pair WHERE org = ${org} AND (row_id = ${to} OR peer_id = ${to})`.execute(tx)
  await sql`UPDATE loom.memory_pair p SET row_id = n.row_id, peer_id = n.peer_id,
      pair_id = 'p_' || least(n.row_id COLLATE "C", n.peer_id COLLATE "C") || '_' || greatest(n.row_id COLLATE "C", n.peer_id COLLATE "C")
    FROM (SELECT org, pair_id, CASE WHEN row_id = ${from} THEN ${to} ELSE row_id END AS row_id,
        CASE WHEN peer_id = ${from} THEN ${to} ELSE peer_id END AS peer_id
      FROM loom.memory_pair WHERE org = ${org} AND (row_id = ${from} OR peer_id = ${from})) n
    WHERE p.org = n.org AND p.pair_id = n.pair_id AND p.row_id <> p.peer_id`.execute(tx)
}

async function carrySummaries(tx: Tx, source: Head, target: Head): Promise<void> {
  await tx.deleteFrom('memory_summary').where('org', '=', source.org).where('source_id', '=', target.memory_id).execute()
  await tx
    .updateTable('memory_summary')
    .set({ source_id: target.memory_id })
    .where('org', '=', source.org)
    .where('source_id', '=', source.memory_id)
    .execute()
  await sql`INSERT INTO loom.memory_summary (org, memory_id, version, source_id)
    SELECT org, ${target.memory_id}, ${target.version}::int8, source_id FROM loom.memory_summary
    WHERE org = ${source.org} AND memory_id = ${source.memory_id} AND version = ${source.version}::int8
    ON CONFLICT DO NOTHING`.execute(tx)
}

/** A category belongs to the key. It stays with the old one too while another live row holds that. */
async function carryCategories(tx: Tx, source: Head, toKey: string): Promise<void> {
  const at = sql`org = ${source.org} AND namespace = ${source.namespace} AND memory_key = ${source.memory_key}`
  await sql`INSERT INTO loom.memory_category AS k (org, namespace, memory_key, category_key, actor, at, rescinded_at)
    SELECT org, namespace, ${toKey}, category_key, actor, at, rescinded_at FROM loom.memory_category WHERE ${at}
    ON CONFLICT (org, namespace, memory_key, category_key) DO UPDATE SET actor = EXCLUDED.actor, at = EXCLUDED.at, rescinded_at = NULL
      WHERE k.rescinded_at IS NOT NULL AND EXCLUDED.rescinded_at IS NULL`.execute(tx)
  await sql`DELETE FROM loom.memory_category WHERE ${at} AND NOT EXISTS (SELECT 1 FROM loom.memory WHERE ${at}
    AND memory_id <> ${source.memory_id} AND status IN ('active', 'conflicted', 'duplicate') AND erased_by = '')`.execute(tx)
}

/** Redirects to the old key, and rows that repeat or gave way to the fact, lead to where it now lies: heads and their versions. */
async function repoint(tx: Tx, source: Head, target: Head): Promise<void> {
  for (const table of ['memory', 'memory_version'] as const) {
    const name = sql.table(`loom.${table}`)
    const isHead =
      table === 'memory'
        ? sql`true`
        : sql`version = (SELECT h.version FROM loom.memory h WHERE h.org = t.org AND h.memory_id = t.memory_id)`
    const raised = table === 'memory' ? sql`rev = rev + 1,` : sql``
    await sql`UPDATE ${name} t SET ${raised} canonical_key = CASE WHEN canonical_key = ${source.memory_key} THEN ${target.memory_key} ELSE canonical_key END,
        duplicate_of = CASE WHEN duplicate_of = ${source.memory_id} THEN ${target.memory_id} ELSE duplicate_of END,
        superseded_by = CASE WHEN superseded_by = ${source.memory_id} THEN ${target.memory_id} ELSE superseded_by END
      WHERE org = ${source.org} AND namespace = ${source.namespace} AND memory_id NOT IN (${source.memory_id}, ${target.memory_id}) AND ${isHead}
        AND (duplicate_of = ${source.memory_id} OR superseded_by = ${source.memory_id}
          OR (status = 'redirect' AND canonical_key = ${source.memory_key} AND agent = ${source.agent} AND user_id = ${source.user_id}
            AND session_id = ${source.session_id}))`.execute(tx)
  }
}

/** @param source the row as it was before the move */
export async function carryOver(tx: Tx, source: Head, target: Head): Promise<void> {
  const { org } = source
  await carryCounters(tx, org, source.memory_id, target.memory_id)
  await carryLinks(tx, org, source.memory_id, target.memory_id)
  await carryPairs(tx, org, source.memory_id, target.memory_id)
  await carrySummaries(tx, source, target)
  await carryCategories(tx, source, target.memory_key)
  // The copy stays under the key that its readers know.
  await tx
    .updateTable('memory_shelf')
    .set({ memory_id: target.memory_id })
    .where('org', '=', org)
    .where('memory_id', '=', source.memory_id)
    .execute()
  await repoint(tx, source, target)
}
