import { sql, type RawBuilder } from 'kysely'
import type { Output } from '../../contract/declare.ts'
import type { namespaceRollback } from '../../contract/ops/namespace/rollback.ts'
import type { Queryable } from '../db/database.ts'
import type { PrepareContext } from '../handler.ts'
import type { Vectors } from '../store/attachments.ts'
import { headsById, lockKeys, type Head } from '../store/memories.ts'
import { reopenFlagged } from '../store/reopened-pairs.ts'
import { takeSnapshot } from '../store/snapshots.ts'
import { writeBatch } from './batch.ts'
import { embedContent, isEmbedded } from './embed.ts'
import { applyMove, contentThen, isBlacklisted, moveTo, type Then } from './put-back.ts'

export type Outcome = Output<typeof namespaceRollback>

export interface Journey {
  readonly op: string
  readonly to: Date
  /** Rows, over `loom.memory AS m`. */
  readonly rows: RawBuilder<unknown>
  /** Versions that were there then, over `loom.memory_version AS v`. */
  readonly versions: RawBuilder<unknown>
  readonly reason: string
  readonly dryRun: boolean
}

const BATCH = 500
const SHOWN = 200

async function idsAfter(after: string, journey: Journey, db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ memory_id: string }>`SELECT m.memory_id FROM loom.memory m WHERE ${journey.rows} AND m.memory_id > ${after}
    ORDER BY m.memory_id LIMIT ${BATCH}`.execute(db)
  return rows.map((row) => row.memory_id)
}

async function thenOf(org: string, ids: readonly string[], journey: Journey, db: Queryable): Promise<Map<string, Then>> {
  const { rows } = await sql<Then>`SELECT DISTINCT ON (v.memory_id) v.* FROM loom.memory_version v
    WHERE v.org = ${org} AND v.memory_id = any(${[...ids]}::text[]) AND v.erased_by = '' AND NOT v.lost AND ${journey.versions}
    ORDER BY v.memory_id, v.version DESC`.execute(db)
  // A cleared row keeps its version, which then says when it ended.
  const ended = (row: Then): boolean => row.tombstoned_at !== null && row.tombstoned_at <= journey.to
  return new Map(rows.map((row) => [row.memory_id, ended(row) ? { ...row, status: 'tombstoned' } : row]))
}

type Tally = Omit<Outcome, 'dry_run' | 'to' | 'before_snapshot_id'>

function note(tally: Tally, head: Head, then: Then | null, move: ReturnType<typeof moveTo>): void {
  if (move === 'unchanged') {
    tally.unchanged++
    return
  }
  const { memory_key, memory_id } = head
  if ('refused' in move) {
    if (tally.refused_count++ < SHOWN) tally.refused.push({ memory_key, memory_id, code: move.refused })
    return
  }
  tally[move.change]++
  if (tally.changes.length < SHOWN) {
    tally.changes.push({
      memory_key,
      memory_id,
      change: move.change,
      excerpt_now: head.excerpt,
      excerpt_then: move.change === 'tombstoned' ? '' : (then?.excerpt ?? ''),
    })
  }
}

/** Vectors of the versions that will be written again, made before the transaction. */
async function vectorsFor(
  heads: Map<string, Head>,
  then: Map<string, Then>,
  context: PrepareContext,
): Promise<Map<string, Vectors | null>> {
  const made = new Map<string, Vectors | null>()
  for (const [id, version] of then) {
    const head = heads.get(id)
    const move = head ? moveTo(head, version, context.now) : 'unchanged'
    if (move === 'unchanged' || 'refused' in move || move.change === 'tombstoned') continue
    if (isEmbedded(version.memory_type, version.sensitivity) && version.value !== null)
      made.set(id, await embedContent(contentThen(version), context))
  }
  return made
}

/**
 * Takes rows back to what they were, in batches of 500, each one transaction; a call cut short is finished by repeating
 * it. Before the first change it takes a snapshot, so that this can be undone too.
 */
export async function takeBack(journey: Journey, context: PrepareContext): Promise<Outcome> {
  const { db, now, parts, identity, actor, caller } = context
  const { org } = identity
  const options = { actor, caller, identity, now }
  const tally: Tally = { revised: 0, tombstoned: 0, restored: 0, unchanged: 0, refused: [], refused_count: 0, changes: [] }
  let before: string | null = null
  let ids = await idsAfter('', journey, db)
  while (ids.length > 0) {
    const batch = ids
    const heads = await headsById(db, org, batch)
    const then = await thenOf(org, batch, journey, db)
    const moves = [...heads.values()].map((head) => moveTo(head, then.get(head.memory_id) ?? null, now))
    if (!journey.dryRun && before === null && moves.some((move) => move !== 'unchanged' && 'change' in move)) {
      const name = `before ${journey.op} ${now.toISOString()}`
      before =
        (await writeBatch(parts, options, (inside) => takeSnapshot(name, journey.reason, true, journey.op, inside)))?.snapshot_id ?? null
    }
    const vectors = journey.dryRun ? new Map<string, never>() : await vectorsFor(heads, then, context)
    await writeBatch(parts, options, async (inside) => {
      const names = [...heads.values()].map((head) => `${org}/${head.namespace}/${head.memory_key}`)
      if (!journey.dryRun) await lockKeys(inside.tx, parts.database.kind, names)
      for (const head of (await headsById(inside.tx, org, batch)).values()) {
        const version = then.get(head.memory_id) ?? null
        const planned = moveTo(head, version, now)
        const writes = planned !== 'unchanged' && 'change' in planned
        const blocked = writes && planned.change !== 'tombstoned' && version !== null && (await isBlacklisted(head, version, inside))
        const move = blocked ? { refused: 'BLACKLISTED' } : planned
        note(tally, head, version, move)
        if (move !== 'unchanged' && 'change' in move && !journey.dryRun)
          await applyMove(move.change, head, version, vectors.get(head.memory_id) ?? null, journey.op, inside)
      }
      if (!journey.dryRun) await reopenFlagged(inside.tx, org, batch, now)
    })
    ids = batch.length < BATCH ? [] : await idsAfter(batch.at(-1) ?? '', journey, db)
  }
  return { dry_run: journey.dryRun, to: journey.to.toISOString(), ...tally, before_snapshot_id: before }
}
