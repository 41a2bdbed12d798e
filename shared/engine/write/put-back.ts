import type { Selectable } from 'kysely'
import { isLoomError } from '../../contract/errors.ts'
import { parseJson } from '../../contract/json.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { MemoryVersionTable } from '../db/tables.ts'
import type { WriteContext } from '../handler.ts'
import { replaceChunks, replaceVectors, type Vectors } from '../store/attachments.ts'
import type { Head } from '../store/memories.ts'
import { closePairsOf } from '../store/pairs.ts'
import { countBlacklistHit, passBlacklist } from './blacklist.ts'
import { contentOf } from './content.ts'
import { deleteRow } from './delete-row.ts'
import { isEmbedded } from './embed.ts'
import { reviseRow } from './revise-row.ts'
import { lockOf } from './state.ts'

export type Then = Selectable<MemoryVersionTable>
export type Change = 'revised' | 'tombstoned' | 'restored'

/** What taking a row back to a version would do, or why it may not. */
export type Move = { readonly change: Change } | { readonly refused: string } | 'unchanged'

const time = (at: Date | null): number | null => at?.getTime() ?? null
const list = (items: readonly string[]): string => JSON.stringify(items)

function isEqual(head: Head, then: Then): boolean {
  return (
    head.content_sha256 === then.content_sha256 &&
    head.status === then.status &&
    head.memory_type === then.memory_type &&
    head.confidence === then.confidence &&
    head.sensitivity === then.sensitivity &&
    list(head.tags) === list(then.tags) &&
    list(head.entities) === list(then.entities) &&
    time(head.valid_at) === time(then.valid_at) &&
    time(head.valid_to) === time(then.valid_to)
  )
}

/** @param then the version of that time; null: the row was born later */
export function moveTo(head: Head, then: Then | null, now: Date): Move {
  if (head.status === 'proposed' || then?.status === 'proposed') return { refused: 'PROPOSAL' }
  const lock = head.status === 'tombstoned' ? null : lockOf(head, now)
  if (then === null || then.status === 'tombstoned') {
    if (head.status === 'tombstoned') return 'unchanged'
    return lock ? { refused: 'LOCKED' } : { change: 'tombstoned' }
  }
  if (head.status !== 'tombstoned' && isEqual(head, then)) return 'unchanged'
  if (then.redacted) return { refused: 'REDACTED' }
  if (lock?.mode === 'read_only') return { refused: 'LOCKED' }
  if (head.status === 'tombstoned') return { change: 'restored' }
  return head.pinned && head.content_sha256 !== then.content_sha256 ? { refused: 'PINNED_CONFLICT' } : { change: 'revised' }
}

/** True when the value may not be written any more; the hit is counted. */
export async function isBlacklisted(head: Head, then: Then, context: WriteContext): Promise<boolean> {
  if (then.content_sha256 === head.content_sha256 && head.status !== 'tombstoned') return false
  const value = parseJson(then.value ?? 'null') as Json
  const hits: [string, string][] = []
  try {
    await passBlacklist(context.tx, head.org, head.namespace, value, (id, org) => void hits.push([org, id]))
    return false
  } catch (error) {
    if (!isLoomError(error) || error.code !== 'BLACKLISTED') throw error
    for (const [org, id] of hits) await countBlacklistHit(context.tx, org, id, context.now)
    return true
  }
}

export const contentThen = (then: Then) => contentOf(then.memory_key, parseJson(then.value ?? 'null') as Json, 0)

/**
 * Writes a past version again as a new one, with the status that it had; nothing is judged. Pins and locks stay as they
 * are now, an expiry comes back only if it is still ahead.
 */
export async function putBack(head: Head, then: Then, vectors: Vectors | null, op: string, context: WriteContext): Promise<Head> {
  const { tx, now, actor } = context
  const content = contentThen(then)
  const isAhead = then.expires_at !== null && then.expires_at > now
  await replaceVectors(tx, head.org, head.memory_id, isEmbedded(then.memory_type, then.sensitivity) ? vectors : null, false)
  await replaceChunks(tx, head.org, head.memory_id, then.value === null ? [] : content.chunks, head.chunks)
  await closePairsOf(tx, head.org, head.memory_id)
  return reviseRow(
    head,
    {
      value: then.value,
      erasure_seq: then.erasure_seq,
      excerpt: then.excerpt,
      memory_type: then.memory_type,
      status: then.status,
      conflict_verdict: then.conflict_verdict,
      sensitivity: then.sensitivity,
      sensitivity_stated: then.sensitivity_stated,
      content_sha256: then.content_sha256,
      canonical_sha256: then.canonical_sha256,
      tags: then.tags,
      entities: then.entities,
      files: then.files,
      confidence: then.confidence,
      valid_at: then.valid_at,
      valid_to: then.valid_to,
      temporal_anchor: then.temporal_anchor,
      temporal_confidence: then.temporal_confidence,
      expires_at: isAhead ? then.expires_at : null,
      on_expire: then.on_expire,
      expire_reason: isAhead ? then.expire_reason : '',
      expiry_cleared: then.expiry_cleared,
      source_class: then.source_class,
      source_trace: then.source_trace,
      source_resource_id: then.source_resource_id,
      run_id: then.run_id,
      superseded_by: then.superseded_by,
      superseded_at: then.superseded_at,
      invalid_at: then.invalid_at,
      duplicate_of: then.duplicate_of,
      canonical_key: then.canonical_key,
      tombstoned_at: null,
      redacted: false,
      chunks: then.value === null ? 0 : content.chunks.length,
      actor,
    },
    op,
    context,
  )
}

export async function applyMove(
  change: Change,
  head: Head,
  then: Then | null,
  vectors: Vectors | null,
  op: string,
  context: WriteContext,
): Promise<void> {
  if (change === 'tombstoned') await deleteRow(head, op, context)
  else if (then) await putBack(head, then, vectors, op, context)
}
