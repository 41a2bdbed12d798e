import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { EventType } from '../../contract/webhook.ts'
import type { Database, Reader, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { EventRow } from '../webhooks/event.ts'

/** An event as a write leaves it for one webhook. */
export interface NewEvent extends Omit<EventRow, 'actor' | 'request_id' | 'erasure_id'> {
  readonly webhook_id: string
  readonly event_id: string
  readonly type: EventType
  readonly body: string
}

/** An event that a pass holds. `place`: its turn among those of its webhook, from 1. */
export type HeldEvent = Omit<Selectable<Tables['memory_webhook_outbox']>, 'lease_until' | 'next_attempt_at'> & {
  readonly place: number
  readonly lease_until: Date
  readonly next_attempt_at: Date
}

const texts = (items: readonly string[]): RawBuilder<unknown> => sql`${[...items]}::text[]`
const times = (items: readonly (Date | null)[]): RawBuilder<unknown> => sql`${items.map((at) => at?.toISOString() ?? null)}::timestamptz[]`

/** Inserts events, due now, with their delivery rows. One that is there already is left as it is. */
export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  const column = (name: keyof NewEvent): RawBuilder<unknown> => texts(events.map((event) => String(event[name])))
  await sql`WITH event AS (SELECT * FROM unnest(${column('org')}, ${column('webhook_id')}, ${column('event_id')}, ${column('namespace')},
      ${column('type')}, ${column('agent')}, ${column('user_id')}, ${column('session_id')}, ${column('memory_key')}, ${column('memory_id')},
      ${events.map((event) => event.version.toString())}::int8[], ${times(events.map((event) => event.occurred_at))}, ${column('body')})
      AS e (org, webhook_id, event_id, namespace, type, agent, user_id, session_id, memory_key, memory_id, version, occurred_at, body)),
    kept AS (INSERT INTO loom.memory_webhook_outbox
      (org, webhook_id, event_id, namespace, type, agent, user_id, session_id, memory_key, memory_id, version, occurred_at, body, next_attempt_at)
      SELECT org, webhook_id, event_id, namespace, type, agent, user_id, session_id, memory_key, memory_id, version, occurred_at, body, occurred_at
      FROM event ON CONFLICT (org, webhook_id, event_id) DO NOTHING RETURNING org, webhook_id, event_id, namespace, type, occurred_at)
    INSERT INTO loom.memory_webhook_delivery (org, webhook_id, event_id, namespace, type, occurred_at)
    SELECT org, webhook_id, event_id, namespace, type, occurred_at FROM kept ON CONFLICT (org, webhook_id, event_id) DO NOTHING`.execute(tx)
}

/** Live webhooks that have due events. */
export async function webhooksWithWork(db: Reader, now: Date): Promise<{ org: string; webhook_id: string; secret_ref: string }[]> {
  const { rows } = await sql<{ org: string; webhook_id: string; secret_ref: string }>`SELECT w.org, w.webhook_id, w.secret_ref
    FROM loom.webhook w WHERE w.removed_at IS NULL AND EXISTS (SELECT 1 FROM loom.memory_webhook_outbox o
      WHERE o.org = w.org AND o.webhook_id = w.webhook_id AND o.next_attempt_at <= ${now})`.execute(db)
  return rows
}

/**
 * Takes due events until `until`: every webhook's oldest, then every webhook's second, and so on. An event that another
 * process is taking is passed over. By place in the table, since a join by key was made through the index of what is due, all of it for each event.
 */
export async function takeDue(
  database: Database,
  { now, until, perWebhook, most, skipped }: { now: Date; until: Date; perWebhook: number; most: number; skipped: readonly string[] },
): Promise<HeldEvent[]> {
  const { rows } = await database.transaction((tx) =>
    sql<HeldEvent>`WITH due AS (SELECT o.at, o.place FROM loom.webhook w CROSS JOIN LATERAL (
          SELECT at, webhook_id, occurred_at, (row_number() OVER (ORDER BY occurred_at, version, event_id))::int4 AS place FROM (
            SELECT ctid AS at, webhook_id, event_id, occurred_at, version FROM loom.memory_webhook_outbox
            WHERE org = w.org AND webhook_id = w.webhook_id AND next_attempt_at <= ${now} AND (lease_until IS NULL OR lease_until <= ${now})
            ORDER BY occurred_at, version, event_id LIMIT ${perWebhook}) oldest) o
        WHERE w.removed_at IS NULL AND w.webhook_id <> all(${texts(skipped)})
        ORDER BY o.place, o.occurred_at, o.webhook_id LIMIT ${most}),
      held AS (SELECT o.ctid AS at, due.place FROM loom.memory_webhook_outbox o JOIN due ON o.ctid = due.at
        WHERE o.next_attempt_at <= ${now} AND (o.lease_until IS NULL OR o.lease_until <= ${now}) FOR UPDATE OF o SKIP LOCKED)
      UPDATE loom.memory_webhook_outbox o SET lease_until = ${until} FROM held WHERE o.ctid = held.at RETURNING o.*, held.place`.execute(
      tx,
    ),
  )
  return rows.toSorted(
    (a, b) => a.place - b.place || a.occurred_at.getTime() - b.occurred_at.getTime() || a.webhook_id.localeCompare(b.webhook_id),
  )
}

/** What is true right before a POST. */
export interface Seen {
  /** Null: it was removed. */
  readonly webhook: { readonly url: string; readonly secret_ref: string } | null
  readonly memoryLives: boolean
}

interface SeenRow {
  readonly at: bigint
  readonly url: string | null
  readonly secret_ref: string | null
  readonly lives: boolean
}

/** Looks at events right before their POSTs. Null for one that an erasure took, or that another pass has. */
export async function lookAgain(db: Reader, events: readonly HeldEvent[]): Promise<(Seen | null)[]> {
  const of = (name: 'org' | 'webhook_id' | 'event_id' | 'memory_id'): RawBuilder<unknown> => texts(events.map((event) => event[name]))
  const { rows } = await sql<SeenRow>`SELECT q.at, w.url, w.secret_ref,
      EXISTS (SELECT 1 FROM loom.memory_version v WHERE v.org = q.org AND v.memory_id = q.memory_id AND v.erased_by = '') AS lives
    FROM unnest(${of('org')}, ${of('webhook_id')}, ${of('event_id')}, ${of('memory_id')}, ${times(events.map((event) => event.lease_until))})
      WITH ORDINALITY AS q (org, webhook_id, event_id, memory_id, lease_until, at)
    JOIN loom.memory_webhook_outbox o
      ON o.org = q.org AND o.webhook_id = q.webhook_id AND o.event_id = q.event_id AND o.lease_until = q.lease_until
    LEFT JOIN loom.webhook w ON w.org = q.org AND w.webhook_id = q.webhook_id AND w.removed_at IS NULL`.execute(db)
  const seen = new Map(rows.map((row) => [Number(row.at) - 1, row]))
  return events.map((event, at) => {
    const row = seen.get(at)
    if (!row) return null
    const webhook = row.url === null || row.secret_ref === null ? null : { url: row.url, secret_ref: row.secret_ref }
    return { webhook, memoryLives: event.type === 'memory.erased' || row.lives }
  })
}

/** What became of an event in a pass. */
export interface Outcome {
  readonly event: HeldEvent
  readonly state: 'pending' | 'delivered' | 'dead'
  /** When it was sent; null: it was not. */
  readonly attemptedAt: Date | null
  readonly status: number | null
  readonly error: string
  /** When it is due again; null: never. */
  readonly next: Date | null
}

/** Stores all outcomes of a pass, in the order in which they came, in one statement, and gives the events back. */
export async function storeOutcomes(database: Database, outcomes: readonly Outcome[], now: Date): Promise<void> {
  if (outcomes.length === 0) return
  const of = (name: 'org' | 'webhook_id' | 'event_id'): RawBuilder<unknown> => texts(outcomes.map(({ event }) => event[name]))
  await database.transaction((tx) =>
    sql`WITH told AS (SELECT * FROM unnest(${of('org')}, ${of('webhook_id')}, ${of('event_id')}, ${times(outcomes.map(({ event }) => event.lease_until))},
          ${texts(outcomes.map(({ state }) => state))}, ${times(outcomes.map(({ attemptedAt }) => attemptedAt))},
          ${outcomes.map(({ status }) => status)}::int4[], ${texts(outcomes.map(({ error }) => error))}, ${times(outcomes.map(({ next }) => next))})
          WITH ORDINALITY AS t (org, webhook_id, event_id, lease_until, state, attempted_at, status, error, next_at, place)),
        kept AS (UPDATE loom.memory_webhook_outbox o SET lease_until = NULL, next_attempt_at = t.next_at,
            attempts = o.attempts + (t.attempted_at IS NOT NULL)::int4
          FROM told t WHERE o.org = t.org AND o.webhook_id = t.webhook_id AND o.event_id = t.event_id AND o.lease_until = t.lease_until
          RETURNING t.*, o.attempts),
        latest AS (UPDATE loom.webhook w SET last_status = l.status, last_error = l.error
          FROM (SELECT DISTINCT ON (org, webhook_id) * FROM kept WHERE attempted_at IS NOT NULL ORDER BY org, webhook_id, place DESC) l
          WHERE w.org = l.org AND w.webhook_id = l.webhook_id)
      UPDATE loom.memory_webhook_delivery d SET state = k.state, attempts = k.attempts,
        last_status = CASE WHEN k.attempted_at IS NULL THEN d.last_status ELSE k.status END,
        last_error = CASE WHEN k.attempted_at IS NULL AND k.state = 'pending' THEN d.last_error ELSE k.error END,
        last_attempt_at = coalesce(k.attempted_at, d.last_attempt_at),
        delivered_at = CASE WHEN k.state = 'delivered' THEN ${now}::timestamptz END
      FROM kept k WHERE d.org = k.org AND d.webhook_id = k.webhook_id AND d.event_id = k.event_id AND d.state = 'pending'`.execute(tx),
  )
}
