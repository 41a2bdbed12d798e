import { createHmac } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import type { CallInputOf, OutputOf } from '../../shared/contract/registry.ts'
import { DEFAULT_WEBHOOKS, type WebhookConfig } from '../../shared/engine/webhooks/config.ts'
import { NO_MODELS, openTestEngine, type TestEngine, type TestEngineOptions } from './engine.ts'
import { ADMIN, ORG } from './push.ts'
import { openReceiver, type Received, type Receiver } from './receiver.ts'
import { UNLIMITED } from './unlimited.ts'

export const NAME = 'LOOM_WEBHOOK_SECRET_ACME__CHAT'
export const SECRET = 'a plain secret of the team'

/** A server whose clock stands until moved, and a receiver known to it as hooks.test. */
export interface Team {
  readonly loom: TestEngine
  receiver: Receiver
  /** Secrets of the environment. */
  readonly secrets: Record<string, string | undefined>
  /** What names resolve to; hooks.test is loopback. */
  readonly names: Map<string, readonly LookupAddress[]>
  /** Milliseconds that a look-up takes. */
  readonly lookup: { takes: number }
  readonly clock: { now: number }
  /** Registers a URL of the receiver, and answers the id. */
  hook(path?: string, more?: Partial<CallInputOf<'webhook.register'>>): Promise<string>
  url(path?: string): string
  set(key: string, value: unknown, more?: Partial<CallInputOf<'memory.set'>>): Promise<{ memory_id: string; version: bigint }>
  /** Lets the clock run, and then the passes that are due. */
  pass(seconds?: number): Promise<void>
  /** Outcomes of all events, oldest first. */
  outcomes(more?: Partial<CallInputOf<'webhook.deliveries'>>): Promise<OutputOf<'webhook.deliveries'>['rows']>
  close(): Promise<void>
}

export const CHAT = { namespace: 'chat', agent: 'scribe' } as const

export async function openTeam(
  webhooks: Partial<WebhookConfig> = {},
  options: TestEngineOptions = {},
  start = Date.UTC(2026, 8, 20, 12, 0, 0),
): Promise<Team> {
  const secrets: Record<string, string | undefined> = { [NAME]: SECRET }
  const names = new Map<string, readonly LookupAddress[]>([['hooks.test', [{ address: '127.0.0.1', family: 4 }]]])
  const clock = { now: start }
  const lookup = { takes: 0 }
  const receiver = await openReceiver()
  const resolve = async (host: string): Promise<readonly LookupAddress[]> => {
    if (lookup.takes > 0) await new Promise((done) => setTimeout(done, lookup.takes))
    const found = names.get(host)
    if (!found) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
    return found
  }
  const loom = await openTestEngine({
    host: 'server',
    mode: 'multi',
    models: NO_MODELS,
    clock: () => clock.now,
    webhooks: { secretOf: (name) => secrets[name], resolve },
    ...options,
    config: {
      rates: UNLIMITED,
      webhooks: { ...DEFAULT_WEBHOOKS, allowHttp: true, privateHosts: ['hooks.test'], ...webhooks },
      ...options.config,
    },
  })
  const team: Team = {
    loom,
    receiver,
    secrets,
    names,
    lookup,
    clock,
    url: (path = '/a') => `http://hooks.test:${team.receiver.port}${path}`,
    async hook(path, more = {}) {
      const input = { namespace: 'chat', url: team.url(path), secret_ref: NAME, ...more }
      return (await loom.call('webhook.register', input, ADMIN)).webhook_id
    },
    set: (memory_key, value, more = {}) => loom.call('memory.set', { ...CHAT, memory_key, value: value as string, ...more }, ADMIN),
    async pass(seconds = 5) {
      clock.now += seconds * 1000
      await loom.engine.runDueJobs(new Date(clock.now))
    },
    async outcomes(more = {}) {
      const { rows } = await loom.call('webhook.deliveries', { namespace: 'chat', limit: 500, ...more }, ADMIN)
      return rows.toReversed()
    },
    async close() {
      await loom.close()
      await team.receiver.close()
    },
  }
  return team
}

/** The signature as any receiver works it out, from the raw body. */
export function signatureOf({ headers, body }: Received, secret: Uint8Array | string): string {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  return `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`
}

/** Types of the events that wait for a webhook, oldest first, and whom they are about. */
export async function queued(
  team: Team,
  webhookId?: string,
): Promise<{ type: string; memory_key: string; version: bigint; body: string }[]> {
  return team.loom.database.reader
    .selectFrom('memory_webhook_outbox')
    .select(['type', 'memory_key', 'version', 'body'])
    .where('org', '=', ORG)
    .$if(webhookId !== undefined, (query) => query.where('webhook_id', '=', webhookId ?? ''))
    .orderBy('occurred_at')
    .orderBy('version')
    .execute()
}
