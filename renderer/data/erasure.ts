import { keepPreviousData, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { isLoomError } from '../../shared/contract/errors.ts'
import type { CallInputOf, OutputOf } from '../../shared/contract/registry.ts'
import { useClient, type LoomClient } from './client.tsx'
import { useEngineInfo } from './queries.ts'
import { useSync } from './sync.ts'

export type Preview = OutputOf<'erasure.preview'>
export type Erasure = OutputOf<'erasure.status'>
export type ErasureRow = OutputOf<'erasure.list'>['rows'][number]
/** What the window that asked was told at the end: with it, what each store lost. */
export type ErasureAnswer = OutputOf<'erasure.request'>
export type AskedScope = Pick<CallInputOf<'erasure.preview'>, 'scope_type' | 'scope_value'>
export type AskedErasure = AskedScope & { readonly purge: boolean; readonly requester: string }

/** An org whose rows the person may ask about, and what they may do there. */
export interface Org {
  readonly org: string
  /** A team's: its server carries erasures out, and tells every paired device. */
  readonly isTeam: boolean
  readonly subject: string
  readonly grants: Readonly<Record<string, string>>
  /** A token bound to one user or session may neither erase nor export. */
  readonly isBound: boolean
}

const ROOT = 'erasure'
const SEEN_MS = { running: 800, failed: 5000, waiting: 10_000 }
const LIST_MS = { running: 2000, idle: 30_000 }
const LISTED = 100
/** How soon the id of an erasure that was asked for is looked up while its answer is out. */
const LOOK_MS = 400

/** The install's own org and its team's; of a window on a server, the one of its token. Null until it is known. */
export function useOrgs(): readonly Org[] | null {
  const { data: info } = useEngineInfo()
  const { data: sync, isLoading } = useSync()
  return useMemo(() => {
    if (!info || isLoading) return null
    const { principal, host } = info
    const { org, subject, grants, user_id, own_session } = principal
    const own: Org = { org, isTeam: host === 'server', subject, grants, isBound: user_id !== '' || own_session }
    if (!sync || sync.org === '' || principal.token_id !== '') return [own]
    return [own, { org: sync.org, isTeam: true, subject: sync.subject, grants: sync.grants, isBound: false }]
  }, [info, sync, isLoading])
}

/** A client on which every call is about one org, whose answers name things as that org does. */
export function useOrgClient(org: string): LoomClient {
  const client = useClient()
  return useMemo(() => client.within({ home: org, scope: org }), [client, org])
}

/** What an erasure would take. Counted anew whenever it is looked at: nothing of it is kept. */
export function usePreview(org: string, scope: AskedScope | null, purge: boolean) {
  const client = useOrgClient(org)
  return useQuery({
    queryKey: [ROOT, 'preview', org, scope, purge],
    enabled: scope !== null,
    gcTime: 0,
    queryFn: ({ signal }) => client.erasure.preview({ ...(scope as AskedScope), purge }, { signal }),
  })
}

/** Erasures that the person may see, newest first. */
export function useErasures(org: string) {
  const client = useOrgClient(org)
  return useQuery({
    queryKey: [ROOT, 'list', org],
    enabled: org !== '',
    queryFn: async ({ signal }) => (await client.erasure.list({ limit: LISTED }, { signal })).rows,
    refetchInterval: ({ state: { data } }) => (data?.some((row) => row.status === 'in_progress') ? LIST_MS.running : LIST_MS.idle),
  })
}

function againMs(erasure: Erasure | undefined): number | false {
  if (erasure?.status === 'in_progress') return SEEN_MS.running
  if (erasure?.status === 'failed') return SEEN_MS.failed
  return erasure && erasure.devices_pending.length > 0 ? SEEN_MS.waiting : false
}

/** How one erasure stands. */
export function useErasure(org: string, id: string) {
  const client = useOrgClient(org)
  return useQuery({
    queryKey: [ROOT, 'status', id],
    queryFn: ({ signal }) => client.erasure.status({ erasure_id: id }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => againMs(data),
  })
}

const answerKey = (id: string): readonly unknown[] => [ROOT, 'answer', id]

/** The answer to an erasure that this window asked for; undefined for any other, and until it came. */
export function useErasureAnswer(id: string): ErasureAnswer | undefined {
  return useQuery<ErasureAnswer>({
    queryKey: answerKey(id),
    enabled: false,
    gcTime: Infinity,
    queryFn: () => Promise.reject(new Error(id)),
  }).data
}

/** Names of the team's devices, where the caller may list them. */
export function useDeviceNames(org: Org | undefined, ids: readonly string[]): ReadonlyMap<string, string> {
  const client = useOrgClient(org?.org ?? '')
  const { data } = useQuery({
    queryKey: [ROOT, 'devices', org?.org],
    enabled: org?.isTeam === true && ids.length > 0,
    staleTime: 60_000,
    queryFn: async ({ signal }) => (await client.device.list({ include_revoked: true, limit: 500 }, { signal })).devices,
  })
  return useMemo(() => new Map((data ?? []).map((device) => [device.device_id, device.name])), [data])
}

/** How long a device may be silent before it counts as away: one that syncs is noted now and then, not at each call. */
const AWAY_MS = 24 * 60 * 60_000

export const isAway = ({ last_seen_at: seen }: Preview['devices'][number], now: Date): boolean =>
  seen === null || now.getTime() - Date.parse(seen) > AWAY_MS

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The id of an erasure that runs, from the list: its answer comes when it ends. Null when `isOver` first. */
async function runningId(client: LoomClient, asked: AskedErasure, isOver: () => boolean): Promise<string | null> {
  while (!isOver()) {
    await sleep(LOOK_MS)
    try {
      const { rows } = await client.erasure.list({ status: 'in_progress', limit: LISTED })
      const found = rows.find(
        (row) => row.scope_type === asked.scope_type && row.scope_value === asked.scope_value && row.purge === asked.purge,
      )
      if (found) return found.erasure_id
    } catch {
      // Whether it runs, the answer will tell.
    }
  }
  return null
}

/** The id that a refusal names, where the same erasure runs already; else null. */
export function runningAlready(error: unknown): string | null {
  if (!isLoomError(error) || error.code !== 'IN_PROGRESS') return null
  const id = error.fields['erasure_id']
  return typeof id === 'string' ? id : null
}

async function begin(client: LoomClient, cache: QueryClient, asked: AskedErasure): Promise<string> {
  let isOver = false
  const answered = client.erasure.request(asked).then(
    (answer) => {
      cache.setQueryData(answerKey(answer.erasure_id), answer)
      return answer.erasure_id
    },
    (error: unknown) => {
      const running = runningAlready(error)
      if (running === null) throw error
      return running
    },
  )
  const ended = answered.finally(() => {
    isOver = true
    // What was erased is on no screen any more.
    void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'answer' })
  })
  const listed = runningId(client, asked, () => isOver).then((id) => id ?? ended)
  return Promise.race([ended, listed])
}

/** Asks for an erasure. Resolves with its id as soon as that is known; it goes on by itself. Rejects with what was said against it. */
export function useBeginErasure(org: string): (asked: AskedErasure) => Promise<string> {
  const client = useOrgClient(org)
  const cache = useQueryClient()
  return useCallback((asked) => begin(client, cache, asked), [client, cache])
}
