import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { OutputOf } from '../../../shared/contract/registry.ts'
import { useClient } from '../../data/client.tsx'
import { refreshShortItems } from '../../data/items.ts'
import { expectChange } from '../../data/live.ts'
import type { Decision, OpenProposal } from '../../data/proposal.ts'
import { refreshMemory } from '../../data/queries.ts'
import { dropFromQueue, readQueueAgain } from '../../data/review.ts'
import { useUndo, type Done } from '../../state/undo.tsx'
import { refusalOf, type Outcome } from '../settling/outcome.ts'
import { PROPOSAL as say } from './proposal-strings.ts'

type Answer = OutputOf<'memory.proposal_decide'>

/** What the decision came to, in words. */
export function decidedWords({ status }: Pick<Answer, 'status'>): string {
  if (status === 'rejected') return say.rejected
  return status === 'conflicted' ? say.conflicted : status === 'duplicate' ? say.duplicate : say.accepted
}

/** Decides a proposal and lets every list know. It never throws: what went wrong is the outcome. */
export function useDecideProposal() {
  const client = useClient()
  const cache = useQueryClient()
  const { say: announce } = useUndo()
  return useCallback(
    async (of: OpenProposal, decision: Decision): Promise<{ done: true } | Exclude<Outcome, { done: true }>> => {
      const { namespace, agent, user_id, session_id, memory_key, memory_id } = of.row
      const refresh = (): void => {
        expectChange(memory_id)
        refreshShortItems(cache)
        refreshMemory(cache, null)
      }
      try {
        const answer = await client.memory.proposal_decide({ namespace, agent, user_id, session_id, memory_key, decision })
        if (!answer.decided) {
          announce({ subject: memory_key, said: say.gone, failed: true })
          await readQueueAgain(cache)
          return { done: false, gone: true, why: say.gone }
        }
        const undo = async (): Promise<string> => {
          await client.memory.restore({ namespace, memory_id })
          refresh()
          await readQueueAgain(cache)
          return say.undone(memory_key)
        }
        const done: Done = { subject: memory_key, said: decidedWords(answer), ...(decision === 'reject' && { undo }) }
        announce(done)
        await dropFromQueue(cache, of)
        refresh()
        // What is accepted may be in conflict now.
        if (answer.status !== 'rejected') await readQueueAgain(cache)
        return { done: true }
      } catch (error) {
        await readQueueAgain(cache)
        const refused = refusalOf(error)
        return refused.done ? { done: false, gone: false, why: '' } : refused
      }
    },
    [client, cache, announce],
  )
}
