import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { useClient, type LoomClient } from './client.tsx'
import { placeName, placeOf } from './places.ts'
import { useTeam } from './sync.ts'

export type NamespaceRow = OutputOf<'namespace.list'>['namespaces'][number]

/** Namespace of calls that name none, on an install that was told no other. */
export const HOME_NAMESPACE = 'local'
const EMPTY_HOME: NamespaceRow = {
  namespace: HOME_NAMESPACE,
  description: '',
  registered: false,
  role: 'platform_admin',
  rows: 0,
  open_conflicts: 0,
  last_write_at: null,
}

async function namespacesOf(client: LoomClient, org: { readonly org?: string }, signal: AbortSignal): Promise<NamespaceRow[]> {
  const all: NamespaceRow[] = []
  let cursor: string | null = null
  do {
    const page: OutputOf<'namespace.list'> = await client.namespace.list({ ...org, limit: 500, ...(cursor ? { cursor } : {}) }, { signal })
    all.push(...page.namespaces)
    cursor = page.next_cursor
  } while (cursor)
  return all
}

/** The namespaces of the install, and after them those of its team. */
export function useNamespaces() {
  const client = useClient()
  const team = useTeam()
  return useQuery({
    queryKey: ['namespace.list', team],
    queryFn: async ({ signal }): Promise<NamespaceRow[]> => {
      if (!team) return namespacesOf(client, {}, signal)
      const { home, org } = team
      const [own, others] = await Promise.all([namespacesOf(client, { org: home }, signal), namespacesOf(client, { org }, signal)])
      // Whether or not this client names places, they are named here. What is one's own has a place before anything is in it.
      return [
        ...(own.length ? own : [EMPTY_HOME]),
        ...others.map((row) => ({ ...row, namespace: placeName(org, placeOf(row.namespace).namespace, home) })),
      ]
    },
    placeholderData: keepPreviousData,
  })
}
