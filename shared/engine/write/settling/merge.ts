import { LoomError } from '../../../contract/errors.ts'
import { memoryUpdateById } from '../../../contract/ops/memory/update_by_id.ts'
import type { Json } from '../../../domain/claim/json.ts'
import type { PrepareContext, WriteContext } from '../../handler.ts'
import { headById, type Head } from '../../store/memories.ts'
import { assessUpdate, updateClaim, type AssessedUpdate, type FindHead } from '../update-claim.ts'
import type { UpdateInput } from '../plan-update.ts'
import type { FoundPair } from './find-pair.ts'

export type AssessedMerge = AssessedUpdate

interface Merge {
  readonly op: string
  readonly value?: Json | undefined
  readonly dryRun: boolean
}

function updateOf(peerId: string, { value, dryRun }: Merge): UpdateInput {
  return memoryUpdateById.input.parse({ memory_id: peerId, value, dry_run: dryRun })
}

const finder =
  (peerId: string): FindHead =>
  (db, context) =>
    headById(db, context.identity.org, peerId)

/** Embeds and judges the value of a merge at the peer's key; the two sides are left out of its check. */
export async function assessMerge({ row, peer }: FoundPair, merge: Merge, context: PrepareContext): Promise<AssessedMerge | null> {
  const assessed = await assessUpdate(updateOf(peer.memory_id, merge), finder(peer.memory_id), context)
  return (
    assessed && {
      ...assessed,
      assessment: { judged: assessed.assessment.judged.filter((other) => other.head.memory_id !== row.memory_id) },
    }
  )
}

/**
 * Writes the value at the peer's key, as memory.update does: pin and tags stay.
 * @throws LoomError as memory.update; PINNED_CONFLICT when a pinned memory of another key stands against the value
 */
export async function writeMerge({ peer }: FoundPair, merge: Merge, assessed: AssessedMerge | null, context: WriteContext): Promise<Head> {
  const answer = assessed && (await updateClaim(merge.op, updateOf(peer.memory_id, merge), finder(peer.memory_id), assessed, context))
  if (!answer)
    throw new LoomError('PRECONDITION_FAILED', `${peer.memory_key} was written in the meantime. Read the pair again.`, {
      current_sha256: peer.content_sha256,
    })
  if (!answer.updated) {
    throw new LoomError(
      'PINNED_CONFLICT',
      `A pinned memory stands against the merged value: ${answer.peers[0]?.memory_key ?? ''}. Nothing was changed.`,
      {
        peers: answer.peers,
      },
    )
  }
  return (await headById(context.tx, peer.org, peer.memory_id)) ?? peer
}
