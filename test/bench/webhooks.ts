import { Agent, request } from 'node:http'
import { availableParallelism } from 'node:os'
import { DEFAULT_WEBHOOKS, type WebhookConfig } from '../../shared/engine/webhooks/config.ts'
import { deliveryBench, openSink, type Sink } from './lib/webhooks.ts'
import { median } from './lib/engine.ts'
import { startPostgres } from '../tools/postgres.mjs'

const EVENTS = Number(process.env.LOOM_BENCH_EVENTS ?? 2000)
const WEBHOOKS = 64
const ROUNDS = 3
const RAISED: WebhookConfig = {
  ...DEFAULT_WEBHOOKS,
  allowHttp: true,
  privateHosts: ['127.0.0.1'],
  maxPerNamespace: 100,
  postsPerWebhook: 100_000,
  maxPostsPerPass: 100_000,
  concurrency: WEBHOOKS,
  maxPass: 600,
}

/** As many bytes as an event has, signed once. */
const HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'Loom-Webhook/1',
  'webhook-id': '5f0c41d09e5b7c8a93d1c0f6a2b4e817',
  'webhook-timestamp': '1790000000',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
}

/** One POST of the bare HTTP client; the answer has no body. */
function barePost(sink: Sink, body: string, agent: Agent | false): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { ...HEADERS, 'content-length': Buffer.byteLength(body) }
    const sent = request({ method: 'POST', host: '127.0.0.1', port: sink.port, path: '/bare', headers, agent }, (response) => {
      response.resume()
      resolve()
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Events a second of the bare client, as many POSTs at once as the delivery has; each keeps a connection, or has one for each POST. */
async function bare(sink: Sink, keeps: boolean): Promise<number> {
  const body = JSON.stringify({ type: 'memory.written', filler: 'x'.repeat(420) })
  const from = performance.now()
  await Promise.all(
    Array.from({ length: WEBHOOKS }, async () => {
      const agent = keeps ? new Agent({ keepAlive: true, maxSockets: 1 }) : false
      for (let n = 0; n < EVENTS / WEBHOOKS; n++) await barePost(sink, body, agent)
      if (agent) agent.destroy()
    }),
  )
  return EVENTS / ((performance.now() - from) / 1000)
}

/** Rates in events a second. `bare_client_per_s`: of one that keeps its connections. */
interface Side {
  readonly delivered_per_s: number
  readonly bare_client_per_s: number
  readonly bare_client_connection_each_per_s: number
  readonly ratio: number
}

/** The delivery at raised limits and the bare client, turn by turn. */
async function sideBySide(sink: Sink, postgres?: string): Promise<Side> {
  const rates = { loom: [] as number[], kept: [] as number[], fresh: [] as number[] }
  const raised = await deliveryBench(RAISED, sink, WEBHOOKS, postgres)
  for (let round = 0; round < ROUNDS; round++) {
    rates.kept.push(await bare(sink, true))
    rates.fresh.push(await bare(sink, false))
    await raised.fill(EVENTS / WEBHOOKS)
    rates.loom.push(EVENTS / (await raised.pass()))
  }
  await raised.close()
  const [loom, kept] = [median(rates.loom), median(rates.kept)]
  return { delivered_per_s: loom, bare_client_per_s: kept, bare_client_connection_each_per_s: median(rates.fresh), ratio: loom / kept }
}

/**
 * Events a second that one process delivers at raised limits, beside the bare HTTP client to the same receiver in the same run; the
 * pace with the defaults; and by how much a receiver that takes 300 ms delays the others.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const sink = await openSink()
  const embedded = await sideBySide(sink)
  const postgres = await startPostgres()
  const onPostgres = postgres.url === null ? null : await sideBySide(sink, postgres.url)
  await postgres.stop()
  const limits = { allowHttp: true, privateHosts: ['127.0.0.1'], maxPerNamespace: 100 }
  const shipped = await deliveryBench({ ...DEFAULT_WEBHOOKS, ...limits }, sink, 8)
  await shipped.fill(10)
  const before = sink.count()
  await shipped.pass()
  const perPass = sink.count() - before
  await shipped.close()
  const slow = await others(sink, 300)
  const fast = await others(sink, 0)
  await sink.close()
  const result = {
    events: EVENTS,
    processors: availableParallelism(),
    embedded,
    postgres: onPostgres ?? postgres.reason,
    target_ratio: 0.6,
    default_per_pass: perPass,
    default_per_s: perPass / 5,
    others_done_ms: fast,
    others_done_beside_a_slow_one_ms: slow,
  }
  const line = (name: string, { delivered_per_s, bare_client_per_s, ratio }: Side): string =>
    `webhooks ${name}: ${delivered_per_s.toFixed(0)} events/s; bare client ${bare_client_per_s.toFixed(0)}/s; ratio ${ratio.toFixed(2)} (target 0.6)\n`
  process.stderr.write(line('on PGlite', embedded) + (onPostgres ? line('on Postgres', onPostgres) : ''))
  return result
}

/** Milliseconds until the last event of seven webhooks arrived, beside an eighth whose receiver takes this long. */
async function others(sink: Sink, takes: number): Promise<number> {
  const delivery = await deliveryBench({ ...DEFAULT_WEBHOOKS, allowHttp: true, privateHosts: ['127.0.0.1'], maxPerNamespace: 100 }, sink, 8)
  await delivery.fill(5)
  sink.slow('/w0', takes)
  const from = performance.now()
  const last = sink.lastOf((path) => path !== '/w0')
  await delivery.pass()
  const done = last() - from
  sink.slow('/w0', 0)
  await delivery.close()
  return done
}
