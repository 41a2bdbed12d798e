import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Json } from '../../../shared/contract/common.ts'
import type { OutputOf } from '../../../shared/contract/registry.ts'
import { useClient, type LoomClient } from '../../data/client.tsx'
import { patchItem, refreshShortItems } from '../../data/items.ts'
import { expectChange } from '../../data/live.ts'
import { settleInput, type Choice, type OpenPair } from '../../data/pair.ts'
import { refreshMemory } from '../../data/queries.ts'
import { dropFromQueue, readQueueAgain } from '../../data/review.ts'
import { useUndo, type Done } from '../../state/undo.tsx'
import { outcomeOf, refusalOf, saidOf, type Outcome } from './outcome.ts'
import { MISSED, SETTLED } from './strings.ts'

interface Extras {
  /** The text that takes the place of both; for a merge alone. */
  readonly value?: Json
  /** Called once the pair is open again and every list shows it. */
  readonly onReopened?: () => void
}

export type Settle = (pair: OpenPair, choice: Choice, extras?: Extras) => Promise<Outcome>

/** Lists show at once what the engine did; the rest is read again. */
function show(cache: QueryClient, { kept, tombstoned, open_left: left }: OutputOf<'conflicts.resolve'>): void {
  if (tombstoned) {
    expectChange(tombstoned.memory_id)
    patchItem(cache, tombstoned.memory_id, null)
  }
  for (const row of kept) {
    expectChange(row.memory_id)
    patchItem(cache, row.memory_id, (item) => ({ ...item, inConflict: left > 0 && item.inConflict }))
  }
  refreshShortItems(cache)
  refreshMemory(cache, null)
}

async function reopen(client: LoomClient, cache: QueryClient, pair: OpenPair, outcome: Outcome): Promise<void> {
  if (!outcome.done || !outcome.answer.undo) throw new Error(MISSED[''])
  const { op, arguments: args } = outcome.answer.undo
  const answer = (await client.call(op, args)) as OutputOf<'conflicts.resolve'>
  if (!answer.resolved) throw new Error(MISSED[answer.reason])
  for (const { memory_id } of [pair.row, pair.peer]) expectChange(memory_id)
  refreshShortItems(cache)
  refreshMemory(cache, null)
  await readQueueAgain(cache)
}

/** Settles a pair, says so with the way back, and lets every list know. It never throws: what went wrong is the outcome. */
export function useSettle(): Settle {
  const client = useClient()
  const cache = useQueryClient()
  const { say, retract } = useUndo()
  return useCallback<Settle>(
    async (pair, choice, { value, onReopened } = {}) => {
      const sent = client.conflicts.resolve(settleInput(pair, choice, value)).then(outcomeOf, refusalOf)
      const done: Done = {
        ...saidOf(pair, choice),
        undo: async () => {
          await reopen(client, cache, pair, await sent)
          onReopened?.()
          return SETTLED.undone(pair.row.memory_key, pair.peer.memory_key)
        },
      }
      // A person who presses a key and then U means this choice, not the one before it, whether or not it is answered.
      if (choice !== 'merge') say(done)
      const outcome = await sent
      if (outcome.done) {
        if (choice === 'merge') say(done)
        await dropFromQueue(cache, pair)
        show(cache, outcome.answer)
        return outcome
      }
      retract(done)
      if (outcome.gone) say({ subject: pair.row.memory_key, said: `stays as it is. ${outcome.why}`, failed: true })
      // What refused it may be a change that is not on the screen yet.
      refreshMemory(cache, null)
      await readQueueAgain(cache)
      return outcome
    },
    [client, cache, say, retract],
  )
}
