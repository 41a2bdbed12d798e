import type { Head } from '../store/memories.ts'
import type { Vectors } from '../store/attachments.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import type { IndexedRow } from './types.ts'

const FOUND_TYPES = new Set(['semantic', 'procedural'])
const INDEXED_STATUS = new Set(['active', 'conflicted', 'duplicate', 'superseded', 'proposed'])

/** The columns of a head that the index holds something of. */
export const INDEXED_COLUMNS = [
  'org',
  'namespace',
  'agent',
  'user_id',
  'session_id',
  'memory_key',
  'memory_id',
  'version',
  'value',
  'memory_type',
  'status',
  'content_sha256',
  'sensitivity',
  'source_class',
  'actor',
  'run_id',
  'confidence',
  'tags',
  'entities',
  'valid_at',
  'valid_to',
  'expires_at',
  'on_expire',
  'created_at',
  'updated_at',
  'pinned',
  'chunks',
  'erased_by',
] as const satisfies readonly (keyof Head)[]

export type IndexedHead = Pick<Head, (typeof INDEXED_COLUMNS)[number]>

/**
 * A head as the search index holds it, or null when it is never found nor judged: retired rows, rows of high
 * sensitivity (readable by key only), episodic and anonymized rows.
 */
export function indexedRowOf(
  head: Omit<IndexedHead, 'chunks'>,
  content: { readonly indexed: string; readonly keyIndexed: boolean; readonly chunks: readonly string[] },
  vectors: Vectors | null,
): IndexedRow | null {
  if (
    !INDEXED_STATUS.has(head.status) ||
    head.sensitivity === 'high' ||
    head.memory_type === 'episodic' ||
    head.erased_by !== '' ||
    head.value === null
  )
    return null
  if (head.content_sha256 === ANONYMIZED_SHA256) return null
  return {
    memoryId: head.memory_id,
    org: head.org,
    namespace: head.namespace,
    agent: head.agent,
    userId: head.user_id,
    sessionId: head.session_id,
    runId: head.run_id,
    memoryKey: head.memory_key,
    memoryType: head.memory_type,
    status: head.status,
    sourceClass: head.source_class,
    confidence: head.confidence,
    pinned: head.pinned,
    version: head.version,
    createdAt: head.created_at.getTime(),
    updatedAt: head.updated_at.getTime(),
    validAt: head.valid_at?.getTime() ?? null,
    validTo: head.valid_to?.getTime() ?? null,
    // A demoting expiry takes a row out of no answer.
    expiresAt: head.on_expire === 'demote' ? null : (head.expires_at?.getTime() ?? null),
    tags: head.tags,
    entities: head.entities,
    actor: head.actor,
    text: content.indexed,
    keyIndexed: content.keyIndexed,
    // Chunks of a digest key are not indexed at all (IMP024).
    chunks: content.keyIndexed ? content.chunks : [],
    position: head.created_at.getTime(),
    searchable: FOUND_TYPES.has(head.memory_type),
    valueVector: vectors?.value ?? null,
    keyVector: vectors?.key ?? null,
  }
}
