import { sql, type RawBuilder } from 'kysely'
import type { z } from 'zod'
import type { Output } from '../../../contract/declare.ts'
import { reviewQueue as contract, type ReviewItem, type ReviewKind } from '../../../contract/ops/review/queue.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { namedPlace, type Given } from '../../identity.ts'
import { pageOfPairs, pairFilterOf, type ShownPair } from '../../read/pair-page.ts'
import { sideView } from '../../read/pair-view.ts'
import { proposalFilterOf, proposalItems } from '../../read/proposal-views.ts'
import { countSyncItems, syncItems } from '../../read/sync-items.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { countPairs, isOpen, openPairsOf } from '../../store/pair-lists.ts'
import { isOfVersions } from '../../store/pair-sides.ts'
import { countProposals, pageProposals } from '../../store/proposals.ts'

type Item = z.output<typeof ReviewItem>
type Kind = z.output<typeof ReviewKind>

/** An item has one kind, told by the row's status; an unsure pair of a row that is active is a question. */
const KIND = sql<string>`CASE WHEN p.kind = 'conflict' AND r.status = 'conflicted' THEN 'conflict'
  WHEN p.kind = 'duplicate' AND r.status = 'duplicate' THEN 'duplicate'
  WHEN p.unsure AND r.status = 'active' THEN 'low_confidence' ELSE '' END`

const SETTLING = ['keep_row', 'keep_peer', 'keep_both', 'merge'] as const

function actionsOf(pair: ShownPair['pair'], kind: Kind, place: Given): Item['actions'] {
  const { pair_id } = pair
  // One key holds one of two versions.
  const open = SETTLING.filter((resolution) => resolution !== 'keep_both' || !isOfVersions(pair))
  const settle = open.map((resolution) => ({ action: resolution, op: 'conflicts.resolve', arguments: { ...place, pair_id, resolution } }))
  const dismiss = { action: 'dismiss', op: 'review.dismiss', arguments: { ...place, item_id: pair_id } }
  return kind === 'low_confidence' ? [...settle, dismiss] : settle
}

const kindOf = ({ pair, row }: ShownPair): Kind => (row.status === 'active' ? 'low_confidence' : (pair.kind as 'conflict' | 'duplicate'))

function itemOf(shown: ShownPair, more: number, now: Date, place: Given): Item {
  const { pair, row, peer } = shown
  const kind = kindOf(shown)
  return {
    item_id: pair.pair_id,
    kind,
    at: pair.at.toISOString(),
    row: sideView(row, now),
    peer: sideView(peer, now),
    peers_more: more,
    reason: pair.reason,
    confidence: pair.confidence,
    unsure: pair.unsure,
    sync: null,
    actions: actionsOf(pair, kind, place),
  }
}

async function countsOf(context: ReadContext, open: readonly RawBuilder<boolean>[]): Promise<Output<typeof contract>['counts']> {
  const counted = await countPairs(context.db, pairFilterOf(context, { conditions: open }), KIND)
  const of = (kind: Kind): number => counted.get(kind) ?? 0
  const sync = await countSyncItems(context)
  const proposal = await countProposals(context.db, proposalFilterOf(context))
  const counts = { conflict: of('conflict'), duplicate: of('duplicate'), proposal, sync, low_confidence: of('low_confidence') }
  return { ...counts, total: counts.conflict + counts.duplicate + counts.low_confidence + proposal + sync }
}

/** Newest first; of one moment by id, as both lists are paged. */
const later = (a: Item, b: Item): number => b.at.localeCompare(a.at) || (a.item_id < b.item_id ? 1 : -1)

export const reviewQueue = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { now, identity, db, caller, parts } = context
  const place = namedPlace(identity, caller, parts.mode === 'single')
  const open = [isOpen(now), sql<boolean>`${KIND} <> ''`]
  const kinds = input.kinds ?? ['conflict', 'duplicate', 'proposal', 'sync', 'low_confidence']
  const told = input.cursor === undefined && kinds.includes('sync') ? await syncItems(context, input.limit) : []
  const filter = pairFilterOf(context, { conditions: [...open, sql<boolean>`${KIND} = any(${[...kinds]}::text[])`] })
  const list = listName(contract.name, identity.namespace, input)
  const after = readPlace(list, input.cursor, ['time', 'text'])
  const { shown, nextCursor } = await pageOfPairs(filter, list, input, context)
  const rows = shown.map(({ row }) => row.memory_id)
  const more = (await openPairsOf(db, identity.org, rows, now)).reduce(
    (counts, pair) => counts.set(pair.row_id, (counts.get(pair.row_id) ?? 0) + 1),
    new Map<string, number>(),
  )
  const pairs = shown.map((one) => itemOf(one, Math.max(0, (more.get(one.row.memory_id) ?? 1) - 1), now, place))
  const tried = proposalFilterOf(context)
  const heads = kinds.includes('proposal') ? await pageProposals(db, tried, input.limit + 1, after) : []
  const both = [...pairs, ...(await proposalItems(heads, tried, place, context))].toSorted(later)
  const paged = both.slice(0, input.limit)
  const last = paged.at(-1)
  const isLast = nextCursor === null && both.length <= input.limit
  return {
    items: [...told, ...paged].toSorted((a, b) => (told.length === 0 ? 0 : b.at.localeCompare(a.at))),
    counts: await countsOf(context, open),
    next_cursor: isLast || !last ? nextCursor : writeCursor(list, [last.at, last.item_id]),
  }
})
