import { sql } from 'kysely'
import type { EngineParts } from '../parts.ts'
import { setApplying } from '../sync/desktop/capture.ts'
import { reapplyEnded } from './ended.ts'
import { allFences, hideHeads, insertFences, lockErasures, raiseNumber, type Fence } from './fence.ts'
import type { LedgerFile } from './ledger-file.ts'
import { resolveUser } from './resolve-user.ts'
import { LEASE_MS, noteStep, sagaById, scopeOf, type SagaRow } from './sagas.ts'

/** What the database does not know of a saga that it has lost. */
const UNKNOWN = '-'
/** A user id that nobody has: ids hold no control characters. The store never held the user of the fence. */
export const NO_USER = '\u0001'

const nameOf = ({ org, seq, namespace }: Fence): string => [org, seq, namespace].join('\n')

/** Fences of one saga, as one group. */
export function grouped(fences: readonly Fence[]): Fence[][] {
  const groups = new Map<string, Fence[]>()
  for (const fence of fences) {
    const name = `${fence.org}\n${fence.seq}\n${fence.erasure_id}`
    groups.set(name, [...(groups.get(name) ?? []), fence])
  }
  return [...groups.values()].toSorted(([a], [b]) => Number((a?.seq ?? 0n) - (b?.seq ?? 0n)))
}

function scopeTypeOf(group: readonly Fence[]): string {
  const [first] = group
  if (!first || first.collection !== '') return 'collection'
  if (first.user_sha256 !== '') return 'user_id'
  return group.length === 1 && !first.purge ? 'namespace' : 'namespace_list'
}

/**
 * Compares the ledger in the database with the file beside it, adds to the file what it lacks, raises the numbers, and
 * registers anew the sagas that the database lacks: it is an older copy. Answers those, for the caller to run.
 */
export async function reconcile(parts: EngineParts, file: LedgerFile, owner: string): Promise<SagaRow[]> {
  const { database } = parts
  // A data folder has one process: whoever ran a saga in it is gone.
  if (database.kind === 'pglite')
    await sql`UPDATE loom.erasure_saga SET lease_until = NULL WHERE status = 'in_progress'`.execute(database.reader)
  await reapplyEnded(parts, file)
  const known = await allFences(database.reader)
  const kept = await file.fences()
  const inFile = new Set(kept.map(nameOf))
  await file.addFences(known.filter((fence) => !inFile.has(nameOf(fence))))
  const inDatabase = new Set(known.map(nameOf))
  const lost = kept.filter((fence) => !inDatabase.has(nameOf(fence)))
  const sagas: SagaRow[] = []
  for (const group of grouped(lost)) {
    const saga = await registerAnew(parts, group, owner)
    if (saga) sagas.push(saga)
  }
  return sagas
}

/** The saga of fences that a database has lost: run anew, to the number that they had. */
async function registerAnew(parts: EngineParts, group: readonly Fence[], owner: string): Promise<SagaRow | null> {
  const { database, numbers } = parts
  const [first] = group
  if (!first) return null
  const { org, seq, erasure_id, purge, collection, requested_at, user_sha256 } = first
  const now = new Date(parts.clock())
  const saga = await database.transaction(async (tx) => {
    await lockErasures(tx, database.kind, org)
    if (parts.host === 'desktop') await setApplying(tx, true)
    await raiseNumber(tx, org, now, seq)
    const user_id = user_sha256 === '' ? '' : ((await resolveUser(tx, org, erasure_id, user_sha256)) ?? NO_USER)
    const namespaces = group.some(({ namespace }) => namespace === '*') ? null : group.map(({ namespace }) => namespace)
    await tx
      .insertInto('erasure_saga')
      .values({
        org,
        erasure_id,
        seq,
        scope_type: scopeTypeOf(group),
        scope_value: UNKNOWN,
        namespaces,
        user_id,
        collection,
        requester: UNKNOWN,
        urgency: 'normal',
        purge,
        external: false,
        requested_at,
        lease_owner: owner,
        lease_until: new Date(now.getTime() + LEASE_MS),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const made = await sagaById(tx, erasure_id, org)
    if (!made) return null
    await insertFences(tx, group)
    await noteStep(tx, made, 'fence.scope', { affected: 0, key: '', done: now })
    for (const id of await hideHeads(tx, scopeOf(made))) parts.index.remove(id)
    return made
  })
  numbers.raised(org, await numberOf(parts, org))
  return saga
}

async function numberOf({ database }: EngineParts, org: string): Promise<bigint> {
  const { rows } = await sql<{ seq: bigint }>`SELECT erasure_seq AS seq FROM loom.org WHERE org = ${org}`.execute(database.reader)
  return rows[0]?.seq ?? 0n
}
