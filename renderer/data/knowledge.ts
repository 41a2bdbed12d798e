import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { useClient } from './client.tsx'
import { useChanges } from './live.ts'

export type KnowledgeDocument = OutputOf<'knowledge.list'>['documents'][number]
export type KnowledgeHit = OutputOf<'knowledge.search'>['results'][number]
export type Chunk = NonNullable<OutputOf<'knowledge.get'>['chunk_list']>[number]
export type Added = OutputOf<'knowledge.add'>

const KNOWLEDGE = 'knowledge'

export function useCollections(namespace: string) {
  const client = useClient()
  return useQuery({
    queryKey: [KNOWLEDGE, 'collections', namespace],
    queryFn: ({ signal }) => client.collection.list({ namespace, limit: 500 }, { signal }),
  })
}

/** Documents of a namespace, or of one collection of it, last changed first. */
export function useDocuments(namespace: string, collection: string) {
  const client = useClient()
  return useInfiniteQuery({
    queryKey: [KNOWLEDGE, 'documents', namespace, collection],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      client.knowledge.list(
        { namespace, ...(collection && { collection }), limit: 100, ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  })
}

export function useKnowledgeSearch(namespace: string, collection: string, query: string) {
  const client = useClient()
  return useQuery({
    queryKey: [KNOWLEDGE, 'search', namespace, collection, query],
    enabled: query !== '',
    queryFn: ({ signal }) =>
      client.knowledge.search({ namespace, query, collections: collection ? [collection] : [], top_k: 30, excerpt_chars: 300 }, { signal }),
    placeholderData: keepPreviousData,
  })
}

/** A document with its chunks, page by page. */
export function useDocument(namespace: string, id: string) {
  const client = useClient()
  return useInfiniteQuery({
    queryKey: [KNOWLEDGE, 'document', namespace, id],
    enabled: id !== '',
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      client.knowledge.get({ namespace, document_id: id, include: 'chunks', offset: pageParam, max_chars: 200_000 }, { signal }),
    getNextPageParam: (page) => page.next_offset ?? null,
  })
}

/** Reads documents again when any window or program changed one. */
export function useKnowledgeUpdates(): void {
  useChanges('knowledge.changed', KNOWLEDGE)
}

const CHUNK = 0x8000

/** Bytes of a file in base64. */
function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(text)
}

/** Three bytes are four letters, and the request has other fields. */
export const mostFileBytes = (requestBytes: number): number => Math.floor(((requestBytes - 16_384) * 3) / 4)

/** How a document is added, and taken away with a way back. */
export function useKnowledgeActions(namespace: string) {
  const client = useClient()
  const cache = useQueryClient()
  const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: [KNOWLEDGE] })
  return {
    /** Reads a file and adds it under its name. */
    async add(file: File, collection: string): Promise<Added> {
      const content_base64 = base64(new Uint8Array(await file.arrayBuffer()))
      return client.knowledge.add({ namespace, collection, content_base64, source: file.webkitRelativePath || file.name })
    },
    refresh,
    async original(id: string): Promise<Uint8Array<ArrayBuffer> | null> {
      const { content_base64: encoded } = await client.knowledge.get({ namespace, document_id: id, include: 'original' })
      if (!encoded) return null
      const text = atob(encoded)
      const bytes = new Uint8Array(text.length)
      for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
      return bytes
    },
    /** Deletes a document; answers what puts it back, or null where its bytes are not on this computer. */
    async remove(document: KnowledgeDocument): Promise<(() => Promise<void>) | null> {
      const { document_id, document_key, collection, title, format, source, tags, metadata, user_id } = document
      const { content_base64 } = await client.knowledge.get({ namespace, document_id, include: 'original' })
      await client.knowledge.delete({ namespace, document_id })
      await refresh()
      if (!content_base64) return null
      return async () => {
        const fields = { document_key, collection, title, format, source, tags, metadata: metadata as Record<string, string>, user_id }
        await client.knowledge.add({ namespace, content_base64, ...fields })
        await refresh()
      }
    },
  }
}
