import type { Output } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import type { memorySet } from '../../contract/ops/memory/set.ts'
import type { Settlement } from '../../domain/verdict/settle.ts'
import type { WriteContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import type { Content } from './content.ts'
import { peerOf, type Judged } from './judging.ts'
import type { ClaimInput, Plan } from './plan.ts'

/** What memory.set and its kin answer. */
export type ClaimAnswer = Output<typeof memorySet>

/** Episodic rows and rows of high sensitivity are not judged: their verdict is "". */
export function isJudged(plan: Plan): boolean {
  return plan.target.memory_type !== 'episodic' && plan.target.sensitivity !== 'high'
}

/** @throws LoomError PRECONDITION_FAILED, with the hash that the live row has. */
export function passPrecondition(expected: string, live: Pick<Head, 'content_sha256'> | null): void {
  if (expected === '' || expected.toLowerCase() === (live?.content_sha256 ?? '')) return
  throw new LoomError(
    'PRECONDITION_FAILED',
    'The row changed since it was read. Read it again, decide, and retry with its content_sha256.',
    {
      current_sha256: live?.content_sha256 ?? '',
    },
  )
}

/** The call to make next, "" when there is none. */
function nextOf(settlement: Settlement): string {
  const first = settlement.involved[0]
  if (!first) return ''
  if (settlement.verdict === 'conflict' || settlement.verdict === 'rejected')
    return `memory.update(memory_key='${first.memoryKey}', value=…)`
  if (settlement.holder) return `memory.get(memory_key='${settlement.holder.memoryKey}')`
  const retired = settlement.retires[0]
  return retired ? `memory.restore(memory_key='${retired.memoryKey}')` : ''
}

const MOST_PEERS = 5

export function answerOf(
  input: Pick<ClaimInput, 'dry_run'>,
  content: Content,
  plan: Plan,
  settlement: Settlement,
  judged: readonly Judged[],
  context: WriteContext,
): ClaimAnswer {
  const involved = new Set(settlement.involved.map((peer) => peer.memoryId))
  const retires = new Set(settlement.retires.map((peer) => peer.memoryId))
  return {
    memory_id: '',
    version: 0n,
    content_sha256: content.sha256,
    status: settlement.status ?? 'active',
    namespace: context.identity.namespace,
    memory_key: content.key,
    conflict_verdict: isJudged(plan) ? settlement.verdict : '',
    peers: judged
      .filter((peer) => involved.has(peer.head.memory_id))
      .slice(0, MOST_PEERS)
      .map((peer) => {
        const shown = peerOf(peer, settlement.verdict === 'rejected')
        return retires.has(peer.head.memory_id) ? { ...shown, status: 'superseded' as const } : shown
      }),
    next: nextOf(settlement),
    noop: false,
    merged_into_key: '',
    duplicate_of: settlement.verdict === 'duplicate' ? (settlement.holder?.memoryId ?? '') : '',
    retyped_from: plan.target.retyped_from,
    pinned: plan.target.pinned,
    chunks_written: 0,
    advisories: [...content.advisories],
    degraded: [...context.degraded],
    dry_run: input.dry_run,
  }
}
