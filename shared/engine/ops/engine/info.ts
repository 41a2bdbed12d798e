import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { engineInfo as contract } from '../../../contract/ops/engine/info.ts'
import { LOOM_VERSION } from '../../../contract/version.ts'
import { JUDGE_VERSION } from '../../../domain/judge/version.ts'
import { SCHEMA_VERSION } from '../../db/migrate.ts'
import { degradedOf } from '../../degraded.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { boundOf } from '../../identity.ts'
import type { EngineParts } from '../../parts.ts'
import { readableBy } from '../../store/documents.ts'
import { openItems } from '../../sync/desktop/inbox.ts'
import { queueCounts } from '../../sync/desktop/outbox.ts'

type Info = Output<typeof contract>

async function countsOf(context: ReadContext): Promise<Info['counts']> {
  const { claims } = context.caller
  const namespaces = Object.keys(claims.grants)
  const bound = boundOf(context.caller)
  const readable = sql`(${claims.org} = '*' OR org = ${claims.org}) AND (${namespaces.includes('*')} OR namespace = any(${namespaces}::text[]))
    AND (${bound.user_id ?? null}::text IS NULL OR user_id = ${bound.user_id ?? null})
    AND (${bound.session_id ?? null}::text IS NULL OR session_id = ${bound.session_id ?? null})`
  const { rows } = await sql<Info['counts']>`SELECT
    (SELECT count(*)::int FROM loom.memory WHERE ${readable} AND erased_by = '' AND status IN ('active', 'conflicted', 'duplicate')) AS memories,
    (SELECT count(*)::int FROM loom.memory_version WHERE ${readable} AND erased_by = '') AS versions,
    (SELECT count(*)::int FROM loom.memory_record WHERE ${readable} AND NOT tombstoned) AS records,
    (SELECT count(*)::int FROM loom.knowledge_document d WHERE (${claims.org} = '*' OR d.org = ${claims.org})
      AND (${namespaces.includes('*')} OR d.namespace = any(${namespaces}::text[])) AND ${readableBy(context.caller)}
      AND d.erased_by = '' AND d.tombstoned_at IS NULL) AS documents`.execute(context.db)
  return rows[0] ?? { memories: 0, versions: 0, documents: 0, records: 0 }
}

function embedderOf(parts: EngineParts): Info['embedder'] {
  const { embedder, state, queue } = parts.models
  const now = embedder ? (parts.reindexing() ? 'reindexing' : 'ready') : state === 'loading' ? 'loading' : 'unavailable'
  return { model: embedder?.id ?? '', dim: embedder?.dim ?? 0, state: now, queue }
}

async function syncOf({ sync, database }: EngineParts): Promise<Info['sync']> {
  if (sync === null) return null
  const { connection, state } = sync
  if (connection === null) return { state: 'off', queued: 0, inbox: 0 }
  const { queued } = await queueCounts(database.reader, connection.org)
  return { state: state.name, queued, inbox: await openItems(database.reader, connection.org) }
}

export const engineInfo = defineRead(contract, async (_input, context): Promise<Info> => {
  const { parts, caller } = context
  const { database, index, config } = parts
  return {
    host: parts.host,
    mode: parts.mode,
    version: LOOM_VERSION,
    judge_version: JUDGE_VERSION,
    schema_version: SCHEMA_VERSION,
    started_at: parts.startedAt.toISOString(),
    storage: {
      kind: database.kind,
      path: caller.local ? database.location : '',
      bytes: await database.bytes(),
      durable: database.durable,
    },
    counts: await countsOf(context),
    embedder: embedderOf(parts),
    index: { rows: index.size, bytes: index.bytes, ready: !parts.fill.isCold },
    sync: await syncOf(parts),
    principal: caller.claims,
    degraded: degradedOf(parts),
    limits: { max_request_bytes: config.maxRequestBytes, rates: parts.rates.shown },
  }
})
