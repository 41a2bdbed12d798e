import type { Output } from '../../contract/declare.ts'
import type { memoryDigests } from '../../contract/ops/memory/digests.ts'
import { writeUp } from '../../domain/digest/write-up.ts'
import type { ReadContext } from '../handler.ts'
import { withinBound } from '../identity.ts'
import type { Digest } from '../store/digests.ts'
import { claimOfHead } from '../store/head-claim.ts'
import { headsById, type Head } from '../store/memories.ts'
import { isLive } from '../write/state.ts'
import { isUnattested } from './answer/sources.ts'

type Shown = Output<typeof memoryDigests>['digests'][number]

/** Digests as they are answered: of their claims those that still stand, as they now read. */
export async function digestViews(digests: readonly Digest[], context: ReadContext): Promise<Shown[]> {
  const heads = await headsById(context.db, context.identity.org, [...new Set(digests.flatMap((digest) => digest.memory_ids))])
  const stands = (head: Head | undefined): head is Head =>
    head !== undefined &&
    isLive(head, context.now) &&
    head.sensitivity !== 'high' &&
    head.value !== null &&
    !isUnattested(head) &&
    withinBound(context.caller, head)
  return digests.map((digest) => {
    const named = digest.memory_ids.map((id) => heads.get(id)).filter(stands)
    const counts = {
      written: Number(digest.written),
      revised: Number(digest.revised),
      retired: Number(digest.retired),
      deleted: Number(digest.deleted),
    }
    const claims = named.map((head) => ({ key: head.memory_key, text: claimOfHead(head) }))
    return {
      digest_id: digest.digest_id,
      period: digest.period as Shown['period'],
      period_start: digest.period_start.toISOString(),
      period_end: digest.period_end.toISOString(),
      text: writeUp(counts, claims),
      memory_keys: named.map((head) => head.memory_key),
      counts,
      model: digest.model,
    }
  })
}
