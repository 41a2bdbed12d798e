import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { CallInputOf, OutputOf } from '../../shared/contract/registry.ts'
import type { RecordView } from '../../shared/contract/record.ts'
import { useClient, type LoomClient } from './client.tsx'
import { useChanges } from './live.ts'

export type SchemaRow = OutputOf<'memory_schema.list'>['schemas'][number]
export type FieldDef = SchemaRow['fields'][number]
export type { RecordView }
export type FieldValue = RecordView['fields'][string]

type Query = CallInputOf<'memory.record.query'>
/** What is asked of the records of a schema. */
export type Question = Required<Pick<Query, 'namespace' | 'schema' | 'where' | 'order_by'>>

const PAGE = 100
/** Pages of an export: as large as they come. */
const EXPORT_PAGE = 500

const ROOT = 'records'

/** The schemas that records may have: one line each, the version that rules, else the one that is proposed. */
export function useSchemas(namespace: string) {
  const client = useClient()
  return useQuery({
    queryKey: [ROOT, 'schemas', namespace],
    queryFn: async ({ signal }) => {
      const { schemas } = await client.memory_schema.list({ namespace, limit: 500 }, { signal })
      const seen = new Map<string, SchemaRow>()
      for (const row of schemas) if (row.status === 'active' || !seen.has(row.schema)) seen.set(row.schema, row)
      return [...seen.values()]
    },
    placeholderData: keepPreviousData,
  })
}

export function useRecords(question: Question | null) {
  const client = useClient()
  return useInfiniteQuery({
    queryKey: [ROOT, 'query', question],
    enabled: question !== null,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      client.memory.record.query(
        { ...(question as Question), limit: PAGE, count: pageParam === '', ...(pageParam !== '' && { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
}

export function useRecordHistory(namespace: string, record: RecordView | null) {
  const client = useClient()
  return useQuery({
    queryKey: [ROOT, 'history', namespace, record?.record_id, record?.version_text],
    enabled: record !== null,
    queryFn: ({ signal }) => {
      const { schema = '', record_key = '', user_id = '-' } = record ?? {}
      return client.memory.record.history({ namespace, schema, record_key, user_id, limit: 50 }, { signal })
    },
  })
}

/** Every record that answers the question, page after page. */
export async function* allRecords(client: LoomClient, question: Question): AsyncGenerator<readonly RecordView[]> {
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: OutputOf<'memory.record.query'> = await client.memory.record.query({
      ...question,
      limit: EXPORT_PAGE,
      ...(cursor !== '' && { cursor }),
    })
    yield page.records
    cursor = page.next_cursor
  }
}

/** Reads records and schemas again when somebody else changed them. */
export function useRecordUpdates(): void {
  useChanges('records.changed', ROOT)
}
