import { sql } from 'kysely'
import { takeCensus } from '../../erasure/census.ts'
import { allFences, hideHeads, lockErasures, raiseNumber, type Fence } from '../../erasure/fence.ts'
import { grouped, NO_USER } from '../../erasure/reconcile.ts'
import { resolveUser } from '../../erasure/resolve-user.ts'
import { dropTargets } from '../../erasure/sagas.ts'
import type { Scope } from '../../erasure/scope.ts'
import { workOf, type Work } from '../../erasure/steps.ts'
import { STEPS, type StepName } from '../../erasure/store.ts'
import type { Tx } from '../../db/database.ts'
import type { EngineParts } from '../../parts.ts'
import { setApplying } from './capture.ts'

/** What of a saga is the server's alone, or is done around the others. */
const NOT_HERE: ReadonlySet<StepName> = new Set(['fence.scope', 'delete.tokens', 'external.erasers', 'verify.residue'])
const QUEUE = 'pg:sync_outbox'

interface Tally {
  affected: number
  dropped: number
  purgedAt: Date | null
}

const applying = <T>({ database }: EngineParts, work: (tx: Tx) => Promise<T>): Promise<T> =>
  database.transaction(async (tx) => {
    // What goes is the server's doing: it leaves no base, and is pushed nowhere.
    await setApplying(tx, true)
    return work(tx)
  })

/** Raises the number of the org as the server's fence did, and hides what it covers. */
async function begin(parts: EngineParts, [first, ...rest]: readonly [Fence, ...Fence[]]): Promise<Scope> {
  const { org, seq, erasure_id: erasureId, user_sha256, collection, purge } = first
  const { scope, hidden } = await applying(parts, async (tx) => {
    await lockErasures(tx, parts.database.kind, org)
    await raiseNumber(tx, org, new Date(parts.clock()), seq)
    const names = [first, ...rest].map(({ namespace }) => namespace)
    const userId = user_sha256 === '' ? '' : ((await resolveUser(tx, org, erasureId, user_sha256)) ?? NO_USER)
    const made: Scope = { org, seq, erasureId, namespaces: names.includes('*') ? null : names, userId, collection, purge, isPartial: true }
    return { scope: made, hidden: await hideHeads(tx, made) }
  })
  parts.numbers.raised(org, seq)
  for (const id of hidden) parts.index.remove(id)
  await parts.erasures.file.addFences([first, ...rest])
  return scope
}

async function eraseHere(parts: EngineParts, scope: Scope, isOld: boolean, signal: AbortSignal): Promise<Tally> {
  const tally: Tally = { affected: 0, dropped: 0, purgedAt: null }
  const work: Work = {
    parts,
    scope,
    external: false,
    batch(run) {
      signal.throwIfAborted()
      return applying(parts, run)
    },
    purged: async (at) => void (tally.purgedAt = at),
    note: async (_tx, _step, { affected, key }) => {
      tally.affected += affected
      if (key === QUEUE) tally.dropped += affected
    },
  }
  for (const step of STEPS) {
    // What was erased long before the pairing was never here: there are no bytes to take, and rewriting every table takes long.
    const wasNeverHere = step === 'purge.vacuum' && isOld && tally.affected === 0
    if (!NOT_HERE.has(step) && !wasNeverHere) await workOf(step)(work)
  }
  return tally
}

/** A fence `f` is older than the pairing of `s`, by clocks that may differ by a day. */
export const BEFORE_PAIRING = sql<boolean>`(f.requested_at < s.connected_at - interval '1 day')`

async function isOlderThanPairing({ database }: EngineParts, { org, seq }: Fence): Promise<boolean> {
  const { rows } = await sql<{ old: boolean }>`SELECT bool_and(${BEFORE_PAIRING}) AS old FROM loom.sync_state s
    JOIN loom.erasure_fence f ON f.org = s.org WHERE s.org = ${org} AND f.seq = ${seq}`.execute(database.reader)
  return rows[0]?.old === true
}

/** The line of the inbox that tells of an erasure: when and how many, and nothing of what it was. */
async function tell(tx: Tx, { org, erasureId, seq }: Scope, { dropped }: Tally, now: Date): Promise<void> {
  if (dropped === 0) return
  await sql`INSERT INTO loom.sync_inbox (org, item_id, change, mine, message, choices, created_at)
    VALUES (${org}, ${`s_${erasureId}_${seq}`}, 'erased', '{}', ${`An erasure took ${dropped} changes that waited here.`}, '{accept}', ${now})
    ON CONFLICT DO NOTHING`.execute(tx)
}

/** Takes the census and keeps a receipt for the server. What an earlier pass took is counted with it. */
async function keepReceipt(parts: EngineParts, scope: Scope, tally: Tally): Promise<void> {
  // Without bytes to take no backup has any either.
  const purgedAt = tally.purgedAt ?? new Date(0)
  const { counts, total, uncounted } = await takeCensus(parts, { ...scope, purgedAt })
  const isClean = total === 0 && uncounted.length === 0
  await applying(parts, async (tx) => {
    if (isClean) await dropTargets(tx, scope)
    await sql`INSERT INTO loom.erasure_own_receipt AS r (org, erasure_id, seq, rows_affected, queue_dropped, census, applied_at, purge, clean)
      VALUES (${scope.org}, ${scope.erasureId}, ${scope.seq}, ${tally.affected}, ${tally.dropped}, ${JSON.stringify(counts)}::jsonb,
        ${new Date(parts.clock())}, ${scope.purge}, ${isClean})
      ON CONFLICT (org, erasure_id, seq) DO UPDATE SET rows_affected = r.rows_affected + excluded.rows_affected,
        queue_dropped = r.queue_dropped + excluded.queue_dropped, census = excluded.census, applied_at = excluded.applied_at,
        clean = excluded.clean, sent = false`.execute(tx)
  })
}

async function applyGroup(parts: EngineParts, group: readonly Fence[], signal: AbortSignal): Promise<void> {
  const [first, ...rest] = group
  if (!first) return
  const scope = await begin(parts, [first, ...rest])
  const tally = await eraseHere(parts, scope, await isOlderThanPairing(parts, first), signal)
  await applying(parts, async (tx) => {
    await tell(tx, scope, tally, new Date(parts.clock()))
    await sql`UPDATE loom.sync_state SET erasure_seq = greatest(erasure_seq, ${scope.seq}) WHERE org = ${scope.org}`.execute(tx)
  })
  await keepReceipt(parts, scope, tally)
  for (const namespace of scope.namespaces ?? []) parts.publish({ type: 'namespace.changed', org: scope.org, namespace })
}

const fencesOf = async ({ database }: EngineParts, org: string): Promise<Fence[]> =>
  (await allFences(database.reader)).filter((fence) => fence.org === org)

/**
 * Erases here what the fences of the server cover that are known and not applied, in their order: rows, queue and inbox.
 * A crash repeats it, and nothing is pushed before. Answers the highest fence applied.
 */
export async function applyFences(parts: EngineParts, org: string, signal: AbortSignal): Promise<bigint> {
  const { rows } = await sql<{ erasure_seq: bigint }>`SELECT erasure_seq FROM loom.sync_state WHERE org = ${org}`.execute(
    parts.database.reader,
  )
  let applied = rows[0]?.erasure_seq ?? 0n
  for (const group of grouped((await fencesOf(parts, org)).filter(({ seq }) => seq > applied))) {
    await applyGroup(parts, group, signal)
    applied = group[0]?.seq ?? applied
  }
  return applied
}

/** Erases anew what a census has found not empty, at least `afterMs` after it was tried last. */
export async function repeatFences(parts: EngineParts, org: string, afterMs: number, signal: AbortSignal): Promise<void> {
  const before = new Date(parts.clock() - afterMs)
  const { rows } = await sql<{ seq: bigint }>`SELECT seq FROM loom.erasure_own_receipt
    WHERE org = ${org} AND NOT clean AND applied_at <= ${before} ORDER BY seq`.execute(parts.database.reader)
  if (rows.length === 0) return
  const due = new Set(rows.map(({ seq }) => seq))
  for (const group of grouped((await fencesOf(parts, org)).filter(({ seq }) => due.has(seq)))) await applyGroup(parts, group, signal)
}

/** Erasures whose census here is not zero yet. */
export async function failedErasures({ database }: Pick<EngineParts, 'database'>, org: string): Promise<string[]> {
  const { rows } = await sql<{ erasure_id: string }>`SELECT erasure_id FROM loom.erasure_own_receipt WHERE org = ${org} AND NOT clean
    ORDER BY seq`.execute(database.reader)
  return rows.map((row) => row.erasure_id)
}
