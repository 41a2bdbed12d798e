import { sql } from 'kysely'
import type { EngineParts } from '../../parts.ts'
import { EMBED_DOCUMENTS } from '../../jobs/embed-documents.ts'
import { EMBED_MESSAGES } from '../../jobs/embed-messages.ts'
import { indexRows } from '../../store/index-rows.ts'
import { embedLater } from '../../write/embed.ts'
import { setApplying } from './capture.ts'
import { nothingChanged, type ApplyContext, type Changed } from './memory-rows.ts'

/** Windows that are told of so many rows read everything again; the rest are told by their namespaces. */
const MOST_EVENTS = 200
const INDEX_BATCH = 500

/** Runs one transaction of the applier; the search index and the windows follow after its commit. */
export async function applied<T>(parts: EngineParts, org: string, work: (context: ApplyContext) => Promise<T>): Promise<T> {
  const changed = nothingChanged()
  const done = await parts.database.transaction(async (tx) => {
    await setApplying(tx, true)
    return work({ tx, org, now: new Date(parts.clock()), changed })
  })
  await follow(parts, org, changed)
  return done
}

async function follow(parts: EngineParts, org: string, changed: Changed): Promise<void> {
  parts.versions.observe(changed.version)
  for (const namespace of changed.namespaces) {
    parts.settings.forget(org, namespace)
    parts.publish({ type: 'namespace.changed', org, namespace })
  }
  for (const namespace of changed.records) parts.publish({ type: 'records.changed', org, namespace })
  if (changed.library.has('documents')) {
    parts.wake(EMBED_DOCUMENTS)
    parts.publish({ type: 'knowledge.changed', org, namespace: '' })
  }
  if (changed.library.has('messages')) parts.wake(EMBED_MESSAGES)
  const ids = [...changed.memories.keys()]
  if (ids.length === 0) return
  const { reader } = parts.database
  for (let at = 0; at < ids.length; at += INDEX_BATCH) {
    await indexRows(reader, parts.index, org, ids.slice(at, at + INDEX_BATCH), parts.models.embedder?.id ?? null)
  }
  for (const memory_id of ids) embedLater({ org, memory_id }, parts)
  const told = [...changed.memories].slice(0, MOST_EVENTS)
  for (const [memory_id, { namespace, memory_key }] of told)
    parts.publish({ type: 'memory.changed', org, namespace, memory_key, memory_id })
  if (told.length === ids.length) return
  for (const namespace of new Set([...changed.memories.values()].map((row) => row.namespace)))
    parts.publish({ type: 'namespace.changed', org, namespace })
}

/** Notes when the server was last reached. */
export async function noteSyncTime(parts: EngineParts, org: string, column: 'last_push_at' | 'last_pull_at'): Promise<void> {
  await parts.database.transaction((tx) =>
    sql`UPDATE loom.sync_state SET ${sql.ref(column)} = ${new Date(parts.clock())} WHERE org = ${org}`.execute(tx),
  )
}
