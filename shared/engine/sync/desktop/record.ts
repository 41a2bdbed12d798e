import { sql } from 'kysely'
import { v7 } from 'uuid'
import { stringifyJson } from '../../../contract/json.ts'
import type { Tx } from '../../db/database.ts'
import type { Replay, WriteContext } from '../../handler.ts'
import { writtenIn } from '../../library/written.ts'
import { headById, type Head } from '../../store/memories.ts'
import { sharedAt } from '../../store/shelf.ts'
import { KEY_PART, MADE_IN, RELATION_PART } from './capture.ts'
import { hashOfRecord } from './split-typed.ts'
import { UNKEPT, answeredId, changesOf, isExact, type Draft, type Left } from './split.ts'

interface Touched {
  readonly relation: string
  readonly row_key: string
  /** Version of the server's row. */
  readonly base_version: string | null
  readonly last_change: string
}

interface Base {
  readonly version: bigint | null
  readonly change: string
}

/** What this transaction touched, and the rows of memory among it as they now are. */
async function touchedRows(tx: Tx, org: string): Promise<{ touched: Touched[]; heads: Head[] }> {
  const { rows } = await sql<Touched & Head>`SELECT m.*, b.relation, b.row_key, b."row" ->> 'version' AS base_version, b.last_change
    FROM loom.sync_base b LEFT JOIN loom.memory m ON b.relation = 'memory' AND m.org = b.org AND m.memory_id = b.row_key AND m.erased_by = ''
    WHERE b.org = ${org} AND b.touched = pg_current_xact_id()`.execute(tx)
  return { touched: rows, heads: rows.filter((row) => row.memory_id !== null) }
}

/** The learning whose review this transaction wrote. */
async function reviewedRow(tx: Tx, org: string): Promise<Head | null> {
  const { rows } = await sql<{ memory_id: string }>`SELECT memory_id FROM loom.learning_review
    WHERE org = ${org} AND xmin = pg_current_xact_id()::xid`.execute(tx)
  return rows[0] ? headById(tx, org, rows[0].memory_id) : null
}

const SHARES: ReadonlySet<string> = new Set(['memory.promote', 'memory.cross_promote'])

/** The row that a shared copy is of. */
async function sharedRow(tx: Tx, org: string, rowKey: string): Promise<Head | null> {
  const [namespace = '', memory_key = ''] = rowKey.split(KEY_PART)
  const shared = await sharedAt(tx, { org, namespace, memory_key })
  return shared && headById(tx, org, shared.memory_id)
}

/** The row that a call names, where it is not among those that it touched. */
async function namedRow(
  tx: Tx,
  org: string,
  { replay, answer, heads }: Pick<Left, 'replay' | 'answer' | 'heads'>,
  touched: readonly Touched[],
): Promise<Head | null> {
  if (isExact(replay.op)) return null
  if (replay.op === 'learning.decide') return reviewedRow(tx, org)
  const link = touched.find((row) => row.relation === 'memory_link')
  if (replay.op === 'memory.link' && link) return headById(tx, org, link.row_key.split(KEY_PART)[0] ?? '')
  const shared = touched.find((row) => row.relation === 'memory_shelf')
  if (SHARES.has(replay.op)) return shared ? sharedRow(tx, org, shared.row_key) : null
  const pair = replay.op === 'review.dismiss' ? replay.args['item_id'] : answer['pair_id']
  if (typeof pair === 'string' && pair !== '') {
    const { rows } = await sql<{ row_id: string }>`SELECT row_id FROM loom.memory_pair WHERE org = ${org} AND pair_id = ${pair}`.execute(tx)
    return rows[0] ? headById(tx, org, rows[0].row_id) : null
  }
  const id = answeredId({ replay, answer })
  return id === '' ? null : (heads.find((head) => head.memory_id === id) ?? headById(tx, org, id))
}

/** What the server had of a row, or the change of ours that waits on it. */
async function baseOf(tx: Tx, head: Head | null, touched: readonly Touched[]): Promise<Base> {
  if (!head) return { version: null, change: '' }
  const read = touched.find((row) => row.relation === 'memory' && row.row_key === head.memory_id)
  const kept = read ?? (await baseAt(tx, head))
  if (kept)
    return { version: kept.last_change === '' && kept.base_version !== null ? BigInt(kept.base_version) : null, change: kept.last_change }
  return { version: head.version, change: '' }
}

async function baseAt(tx: Tx, head: Head): Promise<Touched | undefined> {
  const { rows } = await sql<Touched>`SELECT relation, row_key, "row" ->> 'version' AS base_version, last_change FROM loom.sync_base
    WHERE org = ${head.org} AND relation = 'memory' AND row_key = ${head.memory_id}`.execute(tx)
  return rows[0]
}

/** A version that the server does not know yet is named by the change that made it. */
async function withKnownVersion(tx: Tx, { args, row }: Draft): Promise<Record<string, unknown>> {
  const { version } = args
  if (typeof version !== 'bigint' || !row) return args
  const { rows } = await sql<{ change_id: string }>`SELECT o.change_id FROM loom.memory_version v
    JOIN loom.sync_outbox o ON o.org = v.org AND o.made_in = v.change_id AND o.memory_id = v.memory_id
    WHERE v.org = ${row.org} AND v.memory_id = ${row.memory_id} AND v.version = ${version} AND v.provisional LIMIT 1`.execute(tx)
  return rows[0] ? { ...args, version: `change:${rows[0].change_id}` } : args
}

async function hashesOfPair(tx: Tx, { op, args }: Draft): Promise<Record<string, unknown>> {
  if (op !== 'conflicts.resolve' || args['resolution'] === 'reopen') return {}
  const { rows } = await sql<{ row_sha256: string; peer_sha256: string }>`SELECT row_sha256, peer_sha256 FROM loom.memory_pair
    WHERE org = ${args['org']} AND pair_id = ${args['pair_id']}`.execute(tx)
  const pair = rows[0]
  return pair
    ? {
        if_match_sha256: args['if_match_sha256'] || pair.row_sha256,
        peer_if_match_sha256: args['peer_if_match_sha256'] || pair.peer_sha256,
      }
    : {}
}

/** Puts a change into the queue; its row, and what else of the transaction waits for it, is held until the answer. */
async function store(
  tx: Tx,
  draft: Draft,
  waiting: readonly string[],
  touched: readonly Touched[],
  context: WriteContext,
  erasureSeq: bigint,
): Promise<void> {
  const changeId = v7({ msecs: context.now.getTime() })
  const { row, identity } = draft
  const args = stringifyJson({
    ...(await withKnownVersion(tx, draft)),
    ...(await hashesOfPair(tx, draft)),
    ...(await hashOfRecord(tx, draft)),
  })
  const base = await baseOf(tx, row, touched)
  const own = row !== null && touched.some((one) => one.relation === 'memory' && one.row_key === row.memory_id)
  const version = row !== null && own && row.provisional ? row.version : null
  const holds = touched.filter((one) => one.relation !== 'memory' || waiting.includes(one.row_key))
  await sql`WITH queued AS (
      INSERT INTO loom.sync_outbox (org, change_id, op, via, args, namespace, agent, user_id, session_id, memory_key, memory_id,
        base_version, base_change_id, recorded_at, local_version, conflict_verdict, status, source_class, erasure_seq, value, bytes, made_in, holds)
      VALUES (${identity.org}, ${changeId}, ${draft.op}, ${draft.via}, ${args}, ${identity.namespace}, ${identity.agent}, ${identity.user_id},
        ${identity.session_id}, ${draft.memoryKey}, ${row?.memory_id ?? ''}, ${base.version}, ${base.change}, ${context.now},
        ${version}, ${own ? row.conflict_verdict : ''}, ${own ? row.status : ''}, ${own ? row.source_class : ''},
        ${erasureSeq}, ${row?.value ?? draft.value ?? null}, ${Buffer.byteLength(args) + CHANGE_BYTES}, ${sql.raw(MADE_IN)}, ${holds.map((one) => `${one.relation}${RELATION_PART}${one.row_key}`)}::text[]))
    UPDATE loom.sync_base SET held = held || ${changeId}::text,
      last_change = CASE WHEN relation = 'memory' AND row_key = ${row?.memory_id ?? ''} THEN ${changeId} ELSE last_change END
    WHERE org = ${identity.org} AND touched = pg_current_xact_id() AND (relation <> 'memory' OR row_key = any(${[...waiting]}::text[]))`.execute(
    tx,
  )
}

/** What a change weighs besides its arguments, in bytes. */
const CHANGE_BYTES = 1024

/**
 * Queues what a call changed, in its own transaction, and has the rows that it touched held until the answer. Answers
 * how many changes it left: none where nothing changed.
 */
export async function recordChanges(replay: Replay, answer: unknown, context: WriteContext, erasureSeq: bigint): Promise<number> {
  const { tx, identity } = context
  const { org } = identity
  const told = (typeof answer === 'object' && answer !== null ? answer : {}) as Readonly<Record<string, unknown>>
  const { touched, heads } = await touchedRows(tx, org)
  if (touched.length === 0 && !UNKEPT.has(replay.op)) return 0
  const named = await namedRow(tx, org, { replay, answer: told, heads }, touched)
  const relations = new Set(touched.filter((row) => row.relation !== 'memory').map((row) => row.relation))
  const drafts = changesOf({ replay, identity, answer: told, heads, relations, named, written: writtenIn(tx) })
  // What was changed on the side waits for all changes of the call; each row of its own for its own.
  const rows = new Set(drafts.map((draft) => draft.row?.memory_id))
  const aside = heads.map((head) => head.memory_id).filter((id) => !rows.has(id))
  for (const draft of drafts) await store(tx, draft, [...aside, draft.row?.memory_id ?? ''], touched, context, erasureSeq)
  return drafts.length
}
