import { sql } from 'kysely'
import { LoomError } from '../../../contract/errors.ts'
import type { Queryable } from '../../db/database.ts'
import type { CallContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { headById, type Head } from '../../store/memories.ts'
import { isOfVersions, sidesOf } from '../../store/pair-sides.ts'
import { pairById, pairId, type PairRow } from '../../store/pairs.ts'
import { candidates } from '../../store/resolve.ts'
import { isLive } from '../state.ts'

/** How a call names a pair: one of the first three. */
export interface PairTarget {
  readonly pair_id?: string | undefined
  readonly memory_id?: string | undefined
  readonly memory_key?: string | undefined
  readonly peer_key?: string | undefined
}

export interface FoundPair {
  readonly pair: PairRow
  readonly row: Head
  readonly peer: Head
}

/** @throws LoomError INVALID_ARGUMENT unless exactly one field names the pair. */
export function checkTarget(target: PairTarget): void {
  const named = [target.pair_id, target.memory_id, target.memory_key].filter((field) => field !== undefined)
  if (named.length !== 1)
    throw new LoomError('INVALID_ARGUMENT', 'Name pair_id, memory_id or memory_key, one of them.', { field: 'pair_id' })
}

const MOST_CANDIDATES = 20

/** A pair of ids of which one is now another id of its row. */
async function byAlias(db: Queryable, org: string, id: string): Promise<PairRow | null> {
  const ids = id.replace(/^p_/, '').split('_')
  if (ids.length !== 2) return null
  const { rows } = await sql<{ alias_id: string; memory_id: string }>`SELECT alias_id, memory_id FROM loom.memory_alias
    WHERE org = ${org} AND alias_id = any(${ids}::text[])`.execute(db)
  if (rows.length === 0) return null
  const now = ids.map((own) => rows.find((row) => row.alias_id === own)?.memory_id ?? own)
  return pairById(db, org, pairId(now[0] ?? '', now[1] ?? ''))
}

async function withHeads(db: Queryable, pairs: readonly PairRow[], context: CallContext): Promise<FoundPair[]> {
  const sides = await sidesOf(db, context.identity.org, pairs)
  return pairs.flatMap((pair) => {
    const both = sides.get(pair.pair_id)
    const readable = both && withinBound(context.caller, both.row) && withinBound(context.caller, both.peer)
    return readable && pair.namespace === context.identity.namespace ? [{ pair, ...both }] : []
  })
}

async function rowsNamed(db: Queryable, target: PairTarget, context: CallContext): Promise<Head[]> {
  if (target.memory_key !== undefined) return candidates(db, target.memory_key, context)
  const head = await headById(db, context.identity.org, target.memory_id ?? '')
  return head ? [head] : []
}

export const isOpenPair = ({ pair, row, peer }: FoundPair, now: Date): boolean =>
  pair.state === 'open' && isLive(row, now) && (isOfVersions(pair) || isLive(peer, now))

function ambiguousPairs(open: readonly FoundPair[]): LoomError {
  return new LoomError('AMBIGUOUS_KEY', `${open.length} open pairs fit. Name one by pair_id, or its peer by peer_key.`, {
    candidates: open.slice(0, MOST_CANDIDATES).map(({ pair, row, peer }) => ({
      pair_id: pair.pair_id,
      org: row.org,
      namespace: row.namespace,
      agent: row.agent,
      user_id: row.user_id,
      session_id: row.session_id,
      memory_key: row.memory_key,
      memory_id: row.memory_id,
      peer_key: peer.memory_key,
    })),
  })
}

/**
 * The pair that a call means, with both rows; of those of a row the open one, else the one settled last. Null: there is
 * none that the token may read.
 * @throws LoomError AMBIGUOUS_KEY for several open pairs
 */
export async function findPair(db: Queryable, target: PairTarget, context: CallContext): Promise<FoundPair | null> {
  const { org } = context.identity
  if (target.pair_id !== undefined) {
    const pair = (await pairById(db, org, target.pair_id)) ?? (await byAlias(db, org, target.pair_id))
    return pair ? ((await withHeads(db, [pair], context))[0] ?? null) : null
  }
  const rows = await rowsNamed(db, target, context)
  if (rows.length === 0) return null
  const pairs = await db
    .selectFrom('memory_pair')
    .selectAll()
    .where('org', '=', org)
    .where(
      'row_id',
      'in',
      rows.map((row) => row.memory_id),
    )
    .execute()
  const found = (await withHeads(db, pairs, context)).filter(
    ({ peer }) => target.peer_key === undefined || peer.memory_key === target.peer_key,
  )
  const open = found.filter((one) => isOpenPair(one, context.now))
  if (open.length > 1) throw ambiguousPairs(open)
  const latest = found.toSorted((a, b) => (b.pair.settled_at ?? b.pair.at).getTime() - (a.pair.settled_at ?? a.pair.at).getTime())
  return open[0] ?? latest.find(({ pair }) => pair.state === 'settled') ?? latest[0] ?? null
}
