import { useCallback } from 'react'
import { useClient } from '../../data/client.tsx'
import type { SyncItem } from '../../data/inbox.ts'
import { placeName } from '../../data/places.ts'
import { useTeam } from '../../data/sync.ts'
import { useRoute } from '../../state/route.ts'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { SYNC } from './sync-strings.ts'

/** Opens the memory that an item of the inbox is about, in whatever namespace it is. */
export function useOpenOnSync(): (of: SyncItem) => Promise<void> {
  const client = useClient()
  const home = useTeam()?.home ?? ''
  const [, navigate] = useRoute()
  const { say } = useUndo()
  return useCallback(
    async ({ item }: SyncItem) => {
      if (!item.memory_key) return
      const { org, namespace } = item.identity
      try {
        const found = await client.memory.get({ ...item.identity, memory_key: item.memory_key })
        if (found.found && found.memory_id) navigate({ namespace: placeName(org, namespace, home), id: found.memory_id })
        else say({ subject: item.memory_key, said: SYNC.noMemory, failed: true })
      } catch (error) {
        say({ subject: item.memory_key, said: messageOf(error), failed: true })
      }
    },
    [client, home, navigate, say],
  )
}
