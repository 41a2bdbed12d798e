import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useClient } from '../../data/client.tsx'
import type { Identity } from '../../data/item.ts'
import { patchItem, refreshShortItems } from '../../data/items.ts'
import { expectChange } from '../../data/live.ts'
import { refreshMemory, type ReadRow } from '../../data/queries.ts'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { DONE } from './strings.ts'

export interface Target extends Identity {
  readonly id: string
  readonly key: string
}

export const targetOf = (row: ReadRow): Target => ({ ...identity(row), id: row.memory_id, key: row.memory_key })

export const identity = (of: Identity): Identity => ({
  namespace: of.namespace,
  agent: of.agent,
  user_id: of.user_id,
  session_id: of.session_id,
})

export interface Actions {
  retire(target: Target): Promise<boolean>
  restore(id: string, key: string): Promise<boolean>
  togglePin(row: ReadRow): Promise<void>
}

/** What can be done to one memory. Each says what it did and offers the way back. */
export function useActions(): Actions {
  const client = useClient()
  const cache = useQueryClient()
  const { say } = useUndo()

  return useMemo(() => {
    const settle = (id: string): void => {
      expectChange(id)
      refreshShortItems(cache)
      refreshMemory(cache, [id])
    }
    const fail = (key: string, error: unknown): false => {
      say({ subject: key, said: `stays as it is. ${messageOf(error)}`, failed: true })
      return false
    }

    const remove = async (target: Target) => {
      const answer = await client.memory.delete({ ...identity(target), memory_key: target.key })
      if (answer.tombstoned) patchItem(cache, target.id, null)
      settle(target.id)
      return answer
    }
    const revive = async (id: string) => {
      const answer = await client.memory.restore({ memory_id: id })
      if (answer.restored) patchItem(cache, id, null)
      settle(id)
      return answer
    }
    const whyNot = (key: string, reason: keyof typeof DONE.notRestored): string => `${key} ${DONE.notRestored[reason]}`

    return {
      async retire(target) {
        try {
          const answer = await remove(target)
          if (!answer.tombstoned) {
            say({ subject: target.key, said: DONE.retireMissed, failed: true })
            return false
          }
          say({
            subject: target.key,
            said: DONE.retired(answer.restorable_until),
            undo: async () => {
              const back = await revive(target.id)
              if (!back.restored) throw new Error(whyNot(target.key, back.reason))
              return DONE.undone(target.key)
            },
          })
          return true
        } catch (error) {
          return fail(target.key, error)
        }
      },

      async restore(id, key) {
        try {
          const answer = await revive(id)
          if (!answer.restored) {
            say({ subject: key, said: DONE.notRestored[answer.reason], failed: true })
            return false
          }
          const inConflict = answer.conflict_verdict === 'conflict'
          say({
            subject: key,
            said: inConflict ? DONE.restoredInConflict : DONE.restored,
            undo: async () => {
              const { found, row } = await client.memory
                .get_by_id({ memory_id: id })
                .then((read) => ({ found: read.found, row: read as ReadRow }))
              if (found) await remove(targetOf(row))
              return DONE.undone(key)
            },
          })
          return true
        } catch (error) {
          return fail(key, error)
        }
      },

      async togglePin(row) {
        const change = async (pinned: boolean) => {
          if (pinned) await client.memory.pin({ ...identity(row), memory_key: row.memory_key, value: row.value })
          else await client.memory.unpin({ ...identity(row), memory_key: row.memory_key })
          patchItem(cache, row.memory_id, (item) => ({ ...item, pinned }))
          settle(row.memory_id)
        }
        try {
          await change(!row.pinned)
          say({
            subject: row.memory_key,
            said: row.pinned ? DONE.unpinned : DONE.pinned,
            undo: async () => {
              await change(row.pinned)
              return DONE.undone(row.memory_key)
            },
          })
        } catch (error) {
          fail(row.memory_key, error)
        }
      },
    }
  }, [client, cache, say])
}
