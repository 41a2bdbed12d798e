import { setMaxListeners } from 'node:events'
import type { EngineParts } from '../parts.ts'
import { dropOldDays, endOverdue, endUnsigned, ERASED, NO_SECRET, REMOVED, TOO_LATE } from '../store/webhook-endings.ts'
import { lookAgain, storeOutcomes, takeDue, webhooksWithWork, type HeldEvent, type Outcome, type Seen } from '../store/webhook-outbox.ts'
import { readUrl } from './addresses.ts'
import { attempt, isAcknowledged, type Answered } from './attempt.ts'
import { EVENT_LEASE_MS, NO_SECRET_AFTER_MS, TOO_LATE_AFTER_MS, type WebhookConfig } from './config.ts'
import { createConnections, type Connections } from './connections.ts'
import { secretBytes } from './secrets.ts'
import { together } from './together.ts'
import { inTurns } from './turns.ts'
import type { Webhooks } from './webhooks.ts'

/** Milliseconds after its start until which a pass POSTs. */
export function postTime(config: WebhookConfig): number {
  const { maxPostsPerPass, concurrency, postsPerWebhook, ackTimeout, maxPass, reserve } = config
  const seconds = Math.min(Math.max(maxPostsPerPass / concurrency, postsPerWebhook) * ackTimeout, maxPass - reserve)
  return Math.max(seconds, 0) * 1000
}

/** Milliseconds from the end of a failed attempt to the next. `attempts`: how many there were. */
export function waitAfter(attempts: number, { backoffSteps, maxBackoff }: WebhookConfig): number {
  return Math.min(backoffSteps[attempts - 1] ?? maxBackoff, maxBackoff) * 1000
}

function outcomeOf(event: HeldEvent, answered: Answered, attemptedAt: Date, now: Date, config: WebhookConfig): Outcome {
  const { status, error } = answered
  const told = { event, attemptedAt, status, error }
  if (isAcknowledged(answered)) return { ...told, state: 'delivered', next: null }
  const attempts = event.attempts + 1
  if (attempts >= config.maxAttempts) return { ...told, state: 'dead', next: null }
  return { ...told, state: 'pending', next: new Date(now.getTime() + waitAfter(attempts, config)) }
}

const unsent = (event: HeldEvent): Outcome => ({
  event,
  state: 'pending',
  attemptedAt: null,
  status: null,
  error: '',
  next: event.next_attempt_at,
})
const dead = (event: HeldEvent, error: string): Outcome => ({ ...unsent(event), state: 'dead', error, next: null })

interface Pass {
  readonly parts: EngineParts
  readonly webhooks: Webhooks
  readonly look: (event: HeldEvent) => Promise<Seen | null>
  readonly urlOf: (text: string) => URL
  readonly connections: Connections
  readonly signal: AbortSignal
}

/** Looks again at what must hold right before a POST, in the order of the specification, and sends. Null: leave the lease. */
async function send(event: HeldEvent, { parts, webhooks, look, urlOf, connections, signal }: Pass): Promise<Outcome | null> {
  const { config, cooldowns, secretOf } = webhooks
  const seen = await look(event)
  if (!seen) return null
  if (!seen.webhook) return dead(event, REMOVED)
  const at = new Date(parts.clock())
  const age = at.getTime() - event.occurred_at.getTime()
  if (age >= TOO_LATE_AFTER_MS) return dead(event, TOO_LATE)
  if (cooldowns.isCooling(event.webhook_id)) return unsent(event)
  const secret = secretBytes(seen.webhook.secret_ref, secretOf)
  if (!secret) return age >= NO_SECRET_AFTER_MS ? dead(event, NO_SECRET) : unsent(event)
  if (!seen.memoryLives) return dead(event, ERASED)
  const url = urlOf(seen.webhook.url)
  const agentFor = connections.of(event.webhook_id, url)
  const answered = await attempt({ url, secret, eventId: event.event_id, body: event.body, agentFor }, webhooks, at, signal)
  if (answered.cancelled) return null
  if (isAcknowledged(answered)) cooldowns.succeeded(event.webhook_id)
  else cooldowns.failed(event.webhook_id)
  return outcomeOf(event, answered, at, new Date(parts.clock()), config)
}

/** Ends what is overdue, and takes what is due of webhooks that may be sent to now. */
async function prepare(parts: EngineParts, { config, cooldowns, secretOf }: Webhooks, began: Date): Promise<HeldEvent[]> {
  const { database } = parts
  await endOverdue(database, began, config.removalWindowLeases)
  const waiting = await webhooksWithWork(database.reader, began)
  if (waiting.length === 0) return []
  const cooling = waiting.filter(({ webhook_id }) => cooldowns.isCooling(webhook_id))
  const unsigned = waiting.filter((one) => !cooling.includes(one) && secretBytes(one.secret_ref, secretOf) === null)
  await endUnsigned(
    database,
    began,
    unsigned.map(({ webhook_id }) => webhook_id),
  )
  return takeDue(database, {
    now: began,
    until: new Date(began.getTime() + EVENT_LEASE_MS),
    perWebhook: config.postsPerWebhook,
    most: config.maxPostsPerPass,
    skipped: [...cooling, ...unsigned].map(({ webhook_id }) => webhook_id),
  })
}

function remembered(read: (text: string) => URL): (text: string) => URL {
  const known = new Map<string, URL>()
  return (text) => {
    const url = known.get(text) ?? read(text)
    known.set(text, url)
    return url
  }
}

/** One delivery pass. `signal` ends it early: what was answered by then is stored. */
export async function deliveryPass(parts: EngineParts, webhooks: Webhooks, signal: AbortSignal): Promise<void> {
  const { database, clock, log } = parts
  const { config } = webhooks
  const began = new Date(clock())
  if (webhooks.isTimeToTidy()) await dropOldDays(database, began)
  if (!config.deliverEnabled) return
  const events = await prepare(parts, webhooks, began)
  if (events.length === 0) return
  const over = new AbortController()
  const left = (): number => postTime(config) - (clock() - began.getTime())
  const timer = setTimeout(() => over.abort(), Math.max(left(), 0))
  const ends = AbortSignal.any([signal, over.signal])
  // One listener for each POST in flight.
  setMaxListeners(0, ends)
  const connections = createConnections()
  const look = together((asked: readonly HeldEvent[]) => lookAgain(database.reader, asked))
  const pass = { parts, webhooks, look, urlOf: remembered(readUrl), connections, signal: ends }
  const outcomes: Outcome[] = []
  try {
    const work = async (event: HeldEvent): Promise<void> => {
      try {
        const outcome = await send(event, pass)
        if (outcome) outcomes.push(outcome)
      } catch (error) {
        log.error({ err: error, webhook_id: event.webhook_id, event_id: event.event_id }, 'an event could not be looked at')
        outcomes.push(unsent(event))
      }
    }
    const mayStart = (): boolean => !ends.aborted && left() > 0
    const rest = await inTurns(events, (event) => event.webhook_id, config.concurrency, mayStart, work)
    outcomes.push(...rest.map(unsent))
  } finally {
    clearTimeout(timer)
    connections.close()
  }
  await storeOutcomes(database, outcomes, new Date(clock()))
}
