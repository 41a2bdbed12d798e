import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryProposalDecide as contract } from '../../../contract/ops/memory/proposal_decide.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { lockKeys, type Head } from '../../store/memories.ts'
import { candidates } from '../../store/resolve.ts'
import { acceptProposal, assessAcceptance, newestProposal, type Acceptance, type Accepted } from '../../write/decide-proposal.ts'
import { rejectRow } from '../../write/reject-row.ts'

type Answer = Output<typeof contract>

function rowOf(head: Head | undefined): Pick<Answer, 'memory_id' | 'version' | 'version_text' | 'status' | 'conflict_verdict'> {
  return {
    memory_id: head?.memory_id ?? '',
    version: head?.version ?? 0n,
    version_text: (head?.version ?? 0n).toString(),
    status: (head?.status ?? '') as Answer['status'],
    conflict_verdict: (head?.conflict_verdict ?? '') as Answer['conflict_verdict'],
  }
}

/** @throws LoomError IN_PROGRESS where another process changed the proposal between judging and this. */
function stillJudged(head: Head, assessed: Acceptance | null): Acceptance {
  if (assessed?.head.memory_id === head.memory_id && assessed.head.version === head.version) return { ...assessed, head }
  throw new LoomError('IN_PROGRESS', `The proposal under ${head.memory_key} changed while it was judged. Try again.`, {})
}

async function rejected(head: Head, dryRun: boolean, context: WriteContext): Promise<Accepted> {
  const after = dryRun ? { ...head, status: 'rejected' } : await rejectRow(head, contract.name, context)
  return { head: after, verdict: head.conflict_verdict as Answer['conflict_verdict'], peers: [] }
}

export const memoryProposalDecide = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  async assess(input, _prepared: undefined, context): Promise<Acceptance | null> {
    const head = input.decision === 'accept' ? await newestProposal(context.db, input.memory_key, context) : null
    return head && assessAcceptance(head, context)
  },
  async run(input, context, _prepared, assessed): Promise<Answer> {
    const { tx, identity, parts } = context
    const { memory_key: key, dry_run } = input
    await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${key}`])
    const head = await newestProposal(tx, key, context)
    if (!head) {
      const [newest] = await candidates(tx, key, context)
      const reason = newest ? 'not_proposed' : 'not_found'
      return { found: newest !== undefined, decided: false, reason, ...rowOf(newest), peers: [], dry_run }
    }
    const done =
      input.decision === 'accept'
        ? await acceptProposal(stillJudged(head, assessed), contract.name, dry_run, context)
        : await rejected(head, dry_run, context)
    return { found: true, decided: !dry_run, reason: '', ...rowOf(done.head), conflict_verdict: done.verdict, peers: done.peers, dry_run }
  },
})
