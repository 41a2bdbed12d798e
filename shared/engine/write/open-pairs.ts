import { JUDGE_VERSION } from '../../domain/judge/version.ts'
import type { Settlement } from '../../domain/verdict/settle.ts'
import type { WriteContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { openPairs, type OpenPair } from '../store/pairs.ts'
import type { Judged } from './judging.ts'

/** Opens the pairs that a verdict leaves to a person or an agent, with what the judge said of each. */
export async function openSettledPairs(
  settlement: Settlement,
  judged: readonly Judged[],
  head: Head,
  context: WriteContext,
  origin: OpenPair['origin'] = 'write',
): Promise<void> {
  const pairs = settlement.opens.map(({ peer, kind, unsure }) => {
    const against = judged.find((other) => other.head.memory_id === peer.memoryId)
    return {
      org: head.org,
      namespace: head.namespace,
      rowId: head.memory_id,
      peerId: peer.memoryId,
      kind,
      relation: peer.finding,
      similarity: against?.similarity ?? 0,
      reason: against?.judgement.reason ?? '',
      confidence: peer.confidence,
      unsure,
      judgeVersion: JUDGE_VERSION,
      at: context.now,
      origin,
      rowSha256: head.content_sha256,
      peerSha256: against?.head.content_sha256 ?? '',
    }
  })
  await openPairs(context.tx, pairs)
}
