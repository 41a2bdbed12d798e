import { v7 } from 'uuid'
import { UNGUARDED } from '../db/columns.ts'
import type { WriteContext } from '../handler.ts'
import { indexedRowOf } from '../index/indexed-row.ts'
import { replaceChunks, replaceTriples, replaceVectors, triplesOf, type Vectors } from '../store/attachments.ts'
import { writeAudit } from '../store/audit.ts'
import { carryOver } from '../store/carry.ts'
import { writeVersion, type Head } from '../store/memories.ts'
import { madeAt, provenanceOf } from '../store/provenance.ts'
import type { Content } from './content.ts'
import { auditOf } from './revise-row.ts'

export interface Move {
  readonly source: Head
  /** The retired row whose key is taken over, if there is one. */
  readonly taken: Head | null
  /** The fact under its new key: what is indexed, embedded and chunked depends on the key. */
  readonly content: Content
  readonly vectors: Vectors | null
  readonly redirect: boolean
}

function targetOf({ source, taken, content }: Move, context: WriteContext): Head {
  const { now, parts } = context
  const floor = taken !== null && taken.version > source.version ? taken.version : source.version
  return {
    ...source,
    memory_key: content.key,
    memory_id: taken?.memory_id ?? provenanceOf(context.tx)?.newId ?? v7(),
    version: parts.versions.next(floor),
    chunks: content.chunks.length,
    updated_at: madeAt(context.tx, { ...source, memory_key: content.key }, now),
    server_recorded_at: parts.host === 'server' ? now : null,
    erased_by: '',
    rev: (taken?.rev ?? 0n) + 1n,
  }
}

/** What stays under the old key: where to read on, or a tombstone; the fact itself is under the new one. */
function leftBehind({ source, content, redirect }: Move, context: WriteContext): Head {
  const { now, parts, actor } = context
  return {
    ...source,
    ...UNGUARDED,
    version: parts.versions.next(source.version),
    value: null,
    excerpt: '',
    content_sha256: '',
    canonical_sha256: '',
    files: [],
    chunks: 0,
    duplicate_of: '',
    superseded_by: '',
    expires_at: null,
    valid_to: null,
    actor,
    updated_at: madeAt(context.tx, source, now),
    ...(parts.host === 'server' && { server_recorded_at: now }),
    rev: source.rev + 1n,
    ...(redirect ? { status: 'redirect', canonical_key: content.key } : { status: 'tombstoned', canonical_key: '', tombstoned_at: now }),
  }
}

/**
 * Moves a live row to another key of its identity: a version at each, one audit row. The fact goes with all that hangs
 * on it and is not judged again; the old key leads to it, or is a tombstone.
 */
export async function moveRow(move: Move, op: string, context: WriteContext): Promise<{ target: Head; left: Head }> {
  const { tx, parts } = context
  const { source, content, vectors } = move
  const target = targetOf(move, context)
  const left = leftBehind(move, context)
  await writeVersion(tx, left, op)
  await writeVersion(tx, target, op)
  await replaceVectors(tx, target.org, target.memory_id, vectors, false)
  await replaceChunks(tx, target.org, target.memory_id, content.chunks, move.taken?.chunks ?? 0)
  await replaceTriples(tx, target.org, target.memory_id, await triplesOf(tx, source.org, source.memory_id), false)
  await replaceVectors(tx, source.org, source.memory_id, null, false)
  await replaceChunks(tx, source.org, source.memory_id, [], source.chunks)
  await replaceTriples(tx, source.org, source.memory_id, [], false)
  await carryOver(tx, source, target)
  await writeAudit(tx, [{ ...auditOf(left, op, context), content_sha256: source.content_sha256, to_key: content.key }])
  context.afterCommit(() => {
    parts.index.remove(source.memory_id)
    const row = indexedRowOf(target, content, vectors)
    if (row) parts.index.upsert(row)
    else parts.index.remove(target.memory_id)
  })
  context.changed({ op, kind: 'left', before: source, after: left })
  for (const { org, namespace, memory_key, memory_id } of [left, target])
    context.emit({ type: 'memory.changed', org, namespace, memory_key, memory_id })
  return { target, left }
}
