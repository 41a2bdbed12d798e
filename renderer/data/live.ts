import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { LinkEvent } from '../../shared/client/link.ts'
import { useClient } from './client.tsx'
import { refreshItems } from './items.ts'
import { refreshMemory, useEngineInfo } from './queries.ts'

/** Agents write in bursts; a list that reads itself again for each of them would do nothing else. */
const GATHER_MS = 250

/** Changes of this window's own, which the lists show already, by memory id. */
const expected = new Map<string, number>()
const EXPECTED_FOR_MS = 3000

export function expectChange(id: string): void {
  expected.set(id, Date.now())
}

function isExpected(id: string): boolean {
  const at = expected.get(id)
  if (at !== undefined && Date.now() - at > EXPECTED_FOR_MS) expected.delete(id)
  return expected.has(id)
}

/** What was missed while nothing answered is read once Loom is back. */
export function useRecovery(): void {
  const cache = useQueryClient()
  const failing = useEngineInfo().isError
  const failed = useRef(false)
  useEffect(() => {
    if (failed.current && !failing) {
      refreshItems(cache)
      refreshMemory(cache, null)
    }
    failed.current = failing
  }, [cache, failing])
}

/**
 * Reads again what other writers changed. `mayMoveList` says whether the list may change under the person's eyes;
 * where it may not, `waiting` turns true until `show` is called.
 */
export function useLiveUpdates(mayMoveList: () => boolean): { waiting: boolean; show: () => void } {
  const client = useClient()
  const cache = useQueryClient()
  const [waiting, setWaiting] = useState(false)
  const mayMove = useRef(mayMoveList)
  useEffect(() => {
    mayMove.current = mayMoveList
  })

  useEffect(() => {
    let gathered: LinkEvent[] = []
    let timer: ReturnType<typeof setTimeout> | null = null
    const apply = (): void => {
      const events = gathered
      gathered = []
      timer = null
      if (events.some((event) => event.type === 'engine.state')) {
        void cache.invalidateQueries({ queryKey: ['engine.info'] })
        refreshItems(cache)
      }
      const missed = events.some((event) => event.type === 'stream.opened')
      const ids = new Set(events.flatMap((event) => (event.type === 'memory.changed' ? [event.memory_id] : [])))
      if (missed || ids.size > 0) refreshMemory(cache, missed || ids.size > 20 ? null : [...ids])
      if (missed || events.some((event) => event.type === 'namespace.changed'))
        void cache.invalidateQueries({ queryKey: ['namespace.list'] })
      if (!missed && !ids.size) return
      if (mayMove.current()) refreshItems(cache)
      else if (missed || [...ids].some((id) => !isExpected(id))) setWaiting(true)
    }
    const stop = client.events((event) => {
      gathered.push(event)
      timer ??= setTimeout(apply, GATHER_MS)
    })
    return () => {
      stop()
      if (!timer) return
      // The next screen shows from the same cache.
      clearTimeout(timer)
      apply()
    }
  }, [client, cache])

  return {
    waiting,
    show: () => {
      setWaiting(false)
      refreshItems(cache)
    },
  }
}

/** Reads again every query whose key begins with `root` when a change of `type` was told, or may have been missed. */
export function useChanges(type: LinkEvent['type'], root: string): void {
  const client = useClient()
  const cache = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null
    const apply = (): void => {
      timer = null
      void cache.invalidateQueries({ queryKey: [root] })
    }
    const stop = client.events((event) => {
      if (event.type === type || event.type === 'stream.opened') timer ??= setTimeout(apply, GATHER_MS)
    })
    return () => {
      stop()
      if (!timer) return
      clearTimeout(timer)
      apply()
    }
  }, [client, cache, type, root])
}
