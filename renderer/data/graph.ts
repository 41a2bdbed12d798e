import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import type { OutputOf } from '../../shared/contract/registry.ts'
import type { ListRow } from '../../shared/contract/row.ts'
import { useClient, type LoomClient } from './client.tsx'
import { memoryRow, type ReadRow } from './queries.ts'

type Related = OutputOf<'memory.related'>
type Backlinks = OutputOf<'memory.backlinks'>

/** What is tied to a node of the graph, as the engine answers it. */
export interface Ties extends Pick<Related, 'rows' | 'triples'>, Pick<Backlinks, 'links_in' | 'links_out' | 'related'> {
  readonly node: string
  /** Nothing of that id or name is there to be read. */
  readonly found: boolean
  /** The memory itself; null for an entity, and where only its ties were asked for. */
  readonly self: ReadRow | null
}

export interface Whole {
  readonly rows: readonly ListRow[]
  /** There are more than the graph holds. */
  readonly cut: boolean
}

const ROOT = 'graph'
const ENTITY = 'entity:'
const PAGE = 500
/** Memories of a whole namespace that the graph holds: with the entities that they share some 5,000 nodes. */
const MOST_MEMORIES = 4000
const MOST_TIES = 60
const NO_LINKS = { links_in: [], links_out: [], related: [] }

export const entityNode = (name: string): string => ENTITY + name
/** The name of an entity's node; null for a memory's. */
export const entityOf = (node: string): string | null => (node.startsWith(ENTITY) ? node.slice(ENTITY.length) : null)

async function readTies(client: LoomClient, namespace: string, node: string, signal: AbortSignal): Promise<Omit<Ties, 'self'>> {
  const entity = entityOf(node)
  if (entity !== null) return { node, ...NO_LINKS, ...(await client.memory.related({ namespace, entity, limit: MOST_TIES }, { signal })) }
  const related = await client.memory.related({ namespace, memory_id: node, limit: MOST_TIES }, { signal })
  const links = await client.memory.backlinks({ namespace, memory_id: node, limit: MOST_TIES }, { signal })
  return { node, ...links, ...related }
}

const ties = (client: LoomClient, namespace: string, node: string) =>
  queryOptions({
    queryKey: [ROOT, 'ties', namespace, node],
    queryFn: async ({ signal, client: cache }): Promise<Ties> => {
      if (entityOf(node) !== null) return { ...(await readTies(client, namespace, node, signal)), self: null }
      const { row } = await cache.fetchQuery(memoryRow(client, node))
      if (!row) return { node, found: false, self: null, rows: [], triples: [], ...NO_LINKS }
      return { ...(await readTies(client, namespace, node, signal)), self: row, found: true }
    },
    staleTime: 30_000,
  })

/** What is tied to a node; nothing is asked for "". */
export function useTies(namespace: string, node: string) {
  return useQuery({ ...ties(useClient(), namespace, node), enabled: node !== '' })
}

/** What is tied to several memories, without the memories themselves. */
export function useFurtherTies(namespace: string, nodes: readonly string[]): readonly Ties[] {
  const client = useClient()
  return useQueries({
    queries: nodes.map((node) => ({
      queryKey: [ROOT, 'further', namespace, node],
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Ties> => ({
        ...(await readTies(client, namespace, node, signal)),
        self: null,
      }),
      staleTime: 30_000,
    })),
    // Until all are there none is: a graph that grows while one looks would jump.
    combine: (answers) => (answers.every((answer) => !answer.isPending) ? answers.flatMap(({ data }) => (data ? [data] : [])) : NOT_YET),
  })
}

const NOT_YET: readonly Ties[] = []

/** The memories of a namespace, the newest first, as many as the graph holds. */
export function useWhole(namespace: string, wanted: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: [ROOT, 'whole', namespace],
    enabled: wanted,
    queryFn: async ({ signal }): Promise<Whole> => {
      const rows: ListRow[] = []
      let cursor: string | null = ''
      while (cursor !== null && rows.length < MOST_MEMORIES) {
        const page: OutputOf<'memory.list'> = await client.memory.list(
          { namespace, sort: 'updated', limit: PAGE, ...(cursor !== '' && { cursor }) },
          { signal },
        )
        rows.push(...page.rows)
        cursor = page.next_cursor
      }
      return { rows, cut: cursor !== null }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The newest memory of a namespace: where a graph begins that nobody told where to. */
export function useNewest(namespace: string, wanted: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: [ROOT, 'newest', namespace],
    enabled: wanted,
    queryFn: async ({ signal }) =>
      (await client.memory.list({ namespace, sort: 'updated', limit: 1 }, { signal })).rows[0]?.memory_id ?? '',
    staleTime: Number.POSITIVE_INFINITY,
  })
}
