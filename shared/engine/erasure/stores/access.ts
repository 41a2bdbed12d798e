import { sql } from 'kysely'
import { ERASED_ANSWER } from '../../store/idempotency.ts'
import { ERASED } from '../../store/webhook-endings.ts'
import { before, inNamespace, isTargetKey, ofOrg, placed, type Condition, type Scope } from '../scope.ts'
import { BATCH, rows, type Store } from '../store.ts'

/** Events that wait, tokens of a user, what the audit says of rows, and answers and vectors that are kept. */

const mine = (scope: Scope): Condition => sql<boolean>`(${placed('t', scope)} AND ${before('t', scope)})`
const ofOneUser = ({ userId }: Scope): boolean => userId !== ''

const outbox: Store = {
  ...rows('delete.outbox', 'memory_webhook_outbox', mine, { host: 'server' }),
  async erase(tx, scope) {
    const done = await sql`WITH gone AS (DELETE FROM loom.memory_webhook_outbox t WHERE t.ctid = ANY(ARRAY(
          SELECT t.ctid FROM loom.memory_webhook_outbox t WHERE ${mine(scope)} LIMIT ${BATCH})) RETURNING t.org, t.webhook_id, t.event_id),
        ended AS (UPDATE loom.memory_webhook_delivery d SET state = 'dead', last_error = ${ERASED} FROM gone g
          WHERE d.org = g.org AND d.webhook_id = g.webhook_id AND d.event_id = g.event_id AND d.state = 'pending')
      SELECT count(*)::int AS count FROM gone`.execute(tx)
    return (done.rows[0] as { count: number } | undefined)?.count ?? 0
  },
}

/** A device's own token stays: a desktop must still hear of the erasure. */
const tokens = (scope: Scope): Condition =>
  sql<boolean>`(${ofOrg('t', scope)} AND ${before('t', scope)} AND t.user_id = ${scope.userId} AND t.device_id = '')`

/** Rows of the scope, and those of a key that nobody's row holds any more: a category is of no user. */
const telling = (scope: Scope): Condition => sql<boolean>`(${ofOrg('t', scope)} AND ${inNamespace('t', scope)} AND ${before('t', scope)}
  AND (${placed('t', scope)} OR (t.user_id = '' AND t.memory_key <> '' AND ${isTargetKey(scope, sql`t.namespace`, sql`t.memory_key`)}))
  AND (t.memory_key <> '' OR t.to_key <> '' OR t.content_sha256 <> '' OR octet_length(t.salt) > 0))`

/** The subject of an audit row without the name at its end: who it was is told, not what. */
const NAMELESS = sql`CASE WHEN starts_with(t.subject, split_part(t.subject, ':', 1) || ':' || t.agent || '/' || t.user_id || '/' || t.session_id || '/')
  THEN split_part(t.subject, ':', 1) || ':' || t.agent || '/' || t.user_id || '/' || t.session_id || '/'
  ELSE regexp_replace(t.subject, '^([^:]*:[^/]*/[^/]*/[^/]*/).*$', '\\1', 's') END`

const audit: Store = {
  ...rows('scrub.audit', 'audit', telling, { covers: ({ purge }) => purge }),
  async erase(tx, scope) {
    const done =
      await sql`UPDATE loom.audit t SET memory_key = '', to_key = '', content_sha256 = '', salt = '', scrubbed = true, subject = ${NAMELESS}
      WHERE t.ctid = ANY(ARRAY(SELECT t.ctid FROM loom.audit t WHERE ${telling(scope)} LIMIT ${BATCH}))`.execute(tx)
    return Number(done.numAffectedRows ?? 0n)
  },
}

/** Answers to calls of the namespaces touched; a user's rows may be quoted in those of any. */
const answers = (scope: Scope): Condition => sql<boolean>`(${ofOrg('t', scope)} AND ${before('t', scope)} AND t.answer <> ${ERASED_ANSWER}
  AND (t.namespace = '' OR ${inNamespace('t', scope)}))`

const idempotency: Store = {
  ...rows('clear.caches', 'idempotency', answers, { collections: true }),
  async erase(tx, scope) {
    const done = await sql`UPDATE loom.idempotency t SET answer = ${ERASED_ANSWER}
      WHERE t.ctid = ANY(ARRAY(SELECT t.ctid FROM loom.idempotency t WHERE ${answers(scope)} LIMIT ${BATCH}))`.execute(tx)
    return Number(done.numAffectedRows ?? 0n)
  },
}

const ofNamespaces = (scope: Scope): Condition =>
  sql<boolean>`(${ofOrg('t', scope)} AND ${before('t', scope)} AND ${inNamespace('t', scope)})`

export const ACCESS_STORES: readonly Store[] = [
  outbox,
  rows('delete.tokens', 'auth_token', tokens, { host: 'server', covers: ofOneUser }),
  rows(
    'delete.tokens',
    'pair_code',
    (scope) => sql<boolean>`(${ofOrg('t', scope)} AND ${before('t', scope)} AND t.user_id = ${scope.userId})`,
    {
      host: 'server',
      covers: ofOneUser,
    },
  ),
  audit,
  idempotency,
  rows('clear.caches', 'embedding_cache', ofNamespaces, { collections: true }),
  // An answer may quote rows of a namespace that it was not asked in.
  rows('clear.caches', 'llm_cache', (scope) => sql<boolean>`(${ofOrg('t', scope)} AND ${before('t', scope)})`),
]
