import { sql } from 'kysely'
import { replaceChunks, replaceTriples, replaceVectors } from '../store/attachments.ts'
import type { Reader } from '../db/database.ts'
import type { WriteContext } from '../handler.ts'
import { headById, lockKeys, type Head } from '../store/memories.ts'
import { closePairsOf } from '../store/pairs.ts'
import { writeAudit } from '../store/audit.ts'
import { forgetAnswers } from '../store/llm-cache.ts'
import { scrubQuotes, scrubVersions } from '../store/redaction.ts'
import { ANONYMIZED } from '../write/anonymized.ts'
import { auditOf, reviseRow } from '../write/revise-row.ts'
import { contentOf } from '../write/content.ts'
import { deleteRow } from '../write/delete-row.ts'
import { lockOf } from '../write/state.ts'
import type { Job } from './job.ts'
import { workerWrite } from './worker-write.ts'

const NAME = 'expiry'
const OP = 'worker:expiry'
const BATCH = 100
const SWEPT = new Set(['active', 'conflicted', 'duplicate', 'proposed'])
const DEMOTED_TO = 0.5

/** The sweep waits for a lock's end: any for read_only, all but a demotion for no_delete. */
function waits(head: Head, now: Date): boolean {
  const lock = lockOf(head, now)
  return lock !== null && (lock.mode === 'read_only' || head.on_expire !== 'demote')
}

async function due(db: Reader, now: Date): Promise<Pick<Head, 'org' | 'memory_id'>[]> {
  const { rows } = await sql<Pick<Head, 'org' | 'memory_id'>>`SELECT org, memory_id FROM loom.memory
    WHERE expires_at <= ${now} AND erased_by = '' AND status IN ('active', 'conflicted', 'duplicate', 'proposed')
      AND (lock_mode = '' OR lock_until <= ${now} OR (lock_mode = 'no_delete' AND on_expire = 'demote'))
    ORDER BY expires_at LIMIT ${BATCH}`.execute(db)
  return rows
}

async function demote(head: Head, context: WriteContext): Promise<void> {
  await reviseRow(head, { confidence: head.confidence * DEMOTED_TO, expires_at: null, expire_reason: '' }, OP, context)
}

async function anonymize(head: Head, context: WriteContext): Promise<void> {
  const { tx, actor, parts } = context
  const content = contentOf(head.memory_key, ANONYMIZED, 0)
  await replaceVectors(tx, head.org, head.memory_id, null, false)
  await replaceChunks(tx, head.org, head.memory_id, [], head.chunks)
  await replaceTriples(tx, head.org, head.memory_id, [], false)
  await closePairsOf(tx, head.org, head.memory_id)
  const scrubbed = await scrubVersions(tx, head.org, head.memory_id)
  await sql`UPDATE loom.memory_pair SET state = 'stale' WHERE org = ${head.org} AND peer_id = ${head.memory_id} AND state = 'open'`.execute(
    tx,
  )
  await scrubQuotes(tx, head.org, head.memory_id)
  await forgetAnswers(tx, parts.database.kind, head.org)
  await writeAudit(
    tx,
    scrubbed.map((version) => auditOf({ ...head, version, content_sha256: '' }, OP, context)),
  )
  await reviseRow(
    head,
    {
      value: content.compact,
      content_sha256: content.sha256,
      canonical_sha256: '',
      excerpt: head.sensitivity === 'high' ? '' : ANONYMIZED,
      chunks: 0,
      entities: [],
      files: [],
      source_trace: '',
      source_resource_id: '',
      source_class: 'system',
      actor,
      temporal_anchor: null,
      temporal_confidence: null,
      expires_at: null,
      expire_reason: '',
      // Nothing is left to decide.
      ...(head.status === 'proposed' && { status: 'rejected', invalid_at: context.now }),
    },
    OP,
    context,
  )
}

const ACTS: Readonly<Record<string, (head: Head, context: WriteContext) => Promise<unknown>>> = {
  tombstone: (head, context) => deleteRow(head, OP, context),
  demote,
  anonymize,
}

/**
 * Does to rows past their expiry what each says (EXP004-007): a tombstone, half the confidence, or an anonymous form.
 * A row is a transaction of its own, which looks again.
 */
export const expiry: Job = {
  name: NAME,
  everyMs: 60_000,
  async run(parts, signal) {
    const rows = await due(parts.database.reader, new Date(parts.clock()))
    for (const row of rows) {
      if (signal.aborted) return 'done'
      const seen = await headById(parts.database.reader, row.org, row.memory_id)
      if (!seen) continue
      await workerWrite(parts, NAME, seen, async (context) => {
        await lockKeys(context.tx, parts.database.kind, [`${seen.org}/${seen.namespace}/${seen.memory_key}`])
        const head = await headById(context.tx, row.org, row.memory_id)
        if (!head || head.expires_at === null || head.expires_at > context.now || !SWEPT.has(head.status) || waits(head, context.now))
          return
        await ACTS[head.on_expire]?.(head, context)
      })
    }
    return rows.length === BATCH ? 'again' : 'done'
  },
}
