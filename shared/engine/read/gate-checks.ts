import { sql, type RawBuilder } from 'kysely'
import type { GateCheck } from '../../contract/ops/namespace/validate.ts'
import type { ReadContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { verifyChain } from '../store/seals.ts'
import type { Example, Found } from './namespace-checks.ts'
import { inSelector, isLiveRow } from './rows-in-scope.ts'

/** What only a gate looks at, besides the checks of namespace.audit. */
export const GATE_SEVERITY: Readonly<Record<GateCheck, 'warning' | 'error'>> = {
  low_confidence: 'warning',
  head_mismatch: 'error',
  index_mismatch: 'error',
  audit_chain: 'error',
}

const none = sql`''`

/** As the checks of the store: conditions over `loom.memory AS m`. */
export function gateStoreChecks(
  floor: number,
  now: Date,
): Record<'low_confidence' | 'head_mismatch', { where: RawBuilder<unknown>; note: RawBuilder<unknown> }> {
  return {
    low_confidence: { where: sql`${isLiveRow(now)} AND m.confidence < ${floor}::float8`, note: sql`m.confidence::text` },
    head_mismatch: {
      where: sql`NOT EXISTS (SELECT 1 FROM loom.memory_version v WHERE v.org = m.org AND v.memory_id = m.memory_id AND v.version = m.version
          AND v.content_sha256 = m.content_sha256 AND v.value IS NOT DISTINCT FROM m.value
          AND (v.status = m.status OR (m.status = 'tombstoned' AND v.tombstoned_at IS NOT NULL)))
        OR EXISTS (SELECT 1 FROM loom.memory_version v WHERE v.org = m.org AND v.memory_id = m.memory_id AND v.version > m.version AND NOT v.lost)`,
      note: none,
    },
  }
}

const BATCH = 1000

/** Live rows of which the search index of this process holds another version, or none where it should. */
export async function indexMismatch(limit: number, also: RawBuilder<unknown>, context: ReadContext): Promise<Found> {
  const { db, now, parts, identity } = context
  await parts.follower.catchUp(identity.org)
  const examples: Example[] = []
  let count = 0
  let after = ''
  for (;;) {
    const { rows } = await sql<
      Pick<Head, 'memory_id' | 'memory_key' | 'version'>
    >`SELECT m.memory_id, m.memory_key, m.version FROM loom.memory m
      WHERE ${inSelector(context)} AND ${isLiveRow(now)} AND ${also} AND m.memory_type IN ('semantic', 'procedural') AND m.sensitivity <> 'high'
        AND m.value IS NOT NULL AND m.memory_id > ${after} ORDER BY m.memory_id LIMIT ${BATCH}`.execute(db)
    for (const row of rows) {
      const held = parts.index.get(row.memory_id)
      if (held?.version === row.version) continue
      count++
      if (examples.length < limit)
        examples.push({ memory_key: row.memory_key, memory_id: row.memory_id, note: held ? held.version.toString() : 'not in the index' })
    }
    after = rows.at(-1)?.memory_id ?? after
    if (rows.length < BATCH) return { count, examples }
  }
}

export async function brokenChain({ db, identity }: ReadContext): Promise<Found> {
  const chain = await verifyChain(db, identity.org)
  return chain.ok ? { count: 0, examples: [] } : { count: 1, examples: [{ memory_key: '', memory_id: '', note: chain.problem }] }
}
