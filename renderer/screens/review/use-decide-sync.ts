import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { isLoomError } from '../../../shared/contract/errors.ts'
import type { InboxChoice } from '../../../shared/contract/ops/sync/inbox.ts'
import { useClient } from '../../data/client.tsx'
import { dropFromInbox, type SyncItem } from '../../data/inbox.ts'
import { refreshShortItems } from '../../data/items.ts'
import { refreshMemory } from '../../data/queries.ts'
import { refreshSync } from '../../data/sync.ts'
import { useUndo, type Done } from '../../state/undo.tsx'
import { refusalOf, type Outcome } from '../settling/outcome.ts'
import { SYNC as say } from './sync-strings.ts'

/** Why a choice changed nothing; where the memory moved on, what to look at first. */
export function syncRefusal(error: unknown): Exclude<Outcome, { done: true }> {
  const code = isLoomError(error) ? error.code : ''
  if (code === 'NOT_FOUND') return { done: false, gone: true, why: say.gone }
  if (code === 'PRECONDITION_FAILED') return { done: false, gone: false, why: say.movedOn }
  const refused = refusalOf(error)
  return refused.done ? { done: false, gone: false, why: '' } : refused
}

/** Decides an item of the inbox and lets every list know. It never throws: what went wrong is the outcome. */
export function useDecideSync() {
  const client = useClient()
  const cache = useQueryClient()
  const { say: announce, retract } = useUndo()
  return useCallback(
    async (of: SyncItem, choice: InboxChoice, all: boolean): Promise<{ done: true } | Exclude<Outcome, { done: true }>> => {
      const { item } = of
      const isAll = all && item.change === 'lost_on_server'
      const done: Done = isAll ? { said: say.saidAll[choice] } : { subject: item.memory_key, said: say.said(item, choice) }
      announce(done)
      try {
        await client.sync.inbox_decide(isAll ? { all_of: 'lost_on_server', choice } : { item_id: of.id, choice })
      } catch (error) {
        retract(done)
        const refused = syncRefusal(error)
        if (refused.gone) announce({ subject: item.memory_key, said: refused.why, failed: true })
        // What refused it may be a change that is not on the screen yet.
        refreshMemory(cache, null)
        await refreshSync(cache)
        return refused
      }
      await dropFromInbox(cache, (one) => (isAll ? one.change === item.change : one.item_id === of.id))
      refreshShortItems(cache)
      refreshMemory(cache, null)
      return { done: true }
    },
    [client, cache, announce, retract],
  )
}
