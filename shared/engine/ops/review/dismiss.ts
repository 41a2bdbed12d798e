import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { reviewDismiss as contract } from '../../../contract/ops/review/dismiss.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { reopenPairs, settlePair } from '../../store/pairs.ts'
import { PROPOSAL_ITEM } from '../../store/proposals.ts'
import { closeItem, isSyncItem, itemById, reopenItem, type InboxRow } from '../../sync/desktop/inbox.ts'
import { findPair, isOpenPair } from '../../write/settling/find-pair.ts'
import { writeUndo } from '../../write/settling/undo-record.ts'

/** Accepts what the server made of a change; the item is this desktop's, and stays here. */
async function dismissItem(item: InboxRow, restore: boolean, context: WriteContext): Promise<Output<typeof contract>> {
  const { tx, now, actor, caller, identity } = context
  if (item.change === 'quarantined') {
    throw new LoomError('INVALID_ARGUMENT', 'A quarantined change waits for a choice. Settle it with sync.inbox_decide.', {
      field: 'item_id',
      op: 'sync.inbox_decide',
    })
  }
  const dismissed = item.closed_at !== null
  if (dismissed === !restore) return { found: true, dismissed }
  if (restore) await reopenItem(tx, item.org, item.item_id)
  else await closeItem(tx, item.org, item.item_id, actor, now)
  const subject = `sync:-/-/-/${item.item_id}`
  await writeAudit(tx, [
    { op: contract.name, at: now, org: identity.org, actor, requestId: caller.requestId, subject, namespace: identity.namespace },
  ])
  return { found: true, dismissed: !restore }
}

/** An unsure finding that was seen is settled as keep_both: it is not raised again for these two contents. */
export const reviewDismiss = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, now, actor, caller, identity } = context
    const item = isSyncItem(input.item_id) ? await itemById(tx, identity.org, input.item_id) : null
    if (item !== null && item.namespace === identity.namespace) return dismissItem(item, input.restore, context)
    if (input.item_id.startsWith(PROPOSAL_ITEM)) {
      throw new LoomError('INVALID_ARGUMENT', 'A proposal is accepted or rejected. Settle it with memory.proposal_decide.', {
        field: 'item_id',
        op: 'memory.proposal_decide',
      })
    }
    const found = await findPair(tx, { pair_id: input.item_id }, context)
    if (!found) return { found: false, dismissed: false }
    const { pair, row, peer } = found
    const isQuestion = pair.unsure && row.status === 'active'
    if (!isQuestion) {
      throw new LoomError('INVALID_ARGUMENT', 'Only an unsure finding can be dismissed. Settle this one with conflicts.resolve.', {
        field: 'item_id',
        op: 'conflicts.resolve',
      })
    }
    const dismissed = pair.state === 'settled'
    if (input.restore ? !dismissed : !isOpenPair(found, now)) return { found: true, dismissed }
    if (input.restore) await reopenPairs(tx, pair.org, [pair.pair_id], 'settled')
    else {
      await settlePair(tx, pair.org, pair.pair_id, {
        resolution: 'keep_both',
        by: actor,
        at: now,
        rowSha256: row.content_sha256,
        peerSha256: peer.content_sha256,
        undo: writeUndo({ touched: [], staled: [], opened: [], moved: null, mergedSha256: '', note: '' }),
      })
    }
    await writeAudit(tx, [
      {
        op: contract.name,
        at: now,
        org: identity.org,
        actor,
        requestId: caller.requestId,
        subject: `pair:-/-/-/${pair.pair_id}`,
        namespace: identity.namespace,
      },
    ])
    return { found: true, dismissed: !input.restore }
  },
})
