import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { v7 } from 'uuid'
import { localClaims, type Caller } from '../../../shared/engine/caller.ts'
import { DEFAULT_CONFIG } from '../../../shared/engine/config.ts'
import { createEngine } from '../../../shared/engine/create.ts'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { openPostgres } from '../../../shared/engine/db/postgres.ts'
import { NO_MODELS } from '../../../shared/engine/models/no-models.ts'
import type { WebhookConfig } from '../../../shared/engine/webhooks/config.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

/** A receiver that takes everything and keeps nothing. */
export interface Sink {
  readonly port: number
  count(): number
  /** Has a path answer after so many milliseconds. */
  slow(path: string, ms: number): void
  /** When the last POST of some paths came, from now on. */
  lastOf(of: (path: string) => boolean): () => number
  close(): Promise<void>
}

export async function openSink(): Promise<Sink> {
  let posts = 0
  const delays = new Map<string, number>()
  let watch: { of: (path: string) => boolean; at: number } = { of: () => false, at: 0 }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    request.resume()
    request.on('end', () => {
      posts++
      if (watch.of(path)) watch.at = performance.now()
      const answer = (): void => void response.writeHead(204).end()
      const delay = delays.get(path) ?? 0
      if (delay > 0) setTimeout(answer, delay)
      else answer()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    count: () => posts,
    slow: (path, ms) => void delays.set(path, ms),
    lastOf(of) {
      const own = { of, at: 0 }
      watch = own
      return () => own.at
    },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

export interface DeliveryBench {
  /** Leaves so many events for each webhook, by real writes. */
  fill(each: number): Promise<void>
  /** Runs one delivery pass; answers its seconds. */
  pass(): Promise<number>
  close(): Promise<void>
}

/** A server with webhooks of one namespace, each a path of the receiver. `postgres`: the address of an empty database, instead of a PGlite. */
export async function deliveryBench(webhooks: WebhookConfig, sink: Sink, count: number, postgres?: string): Promise<DeliveryBench> {
  const folder = await mkdtemp(join(tmpdir(), 'loom-bench-'))
  const database = postgres ? await openPostgres({ url: postgres }) : await openPglite({ dataDir: join(folder, 'db') })
  let now = Date.now()
  let hasSecret = false
  const engine = await createEngine({
    host: 'server',
    mode: 'multi',
    config: { ...DEFAULT_CONFIG, rates: UNLIMITED, webhooks },
    database,
    models: NO_MODELS,
    clock: () => now,
    log: pino({ level: 'silent' }),
    jobs: 'manual',
    webhooks: { secretOf: () => (hasSecret ? 'a secret' : undefined) },
  })
  const claims = { ...localClaims('human', 'root'), org: 'acme', grants: { '*': 'org_admin' as const } }
  const caller: Caller = { claims, transport: 'inproc', fills: { namespace: 'chat', agent: 'scribe' }, local: false, requestId: v7() }
  const call = (op: string, input: unknown): Promise<Record<string, unknown>> => engine.run(op, input, caller)
  const secret_ref = 'LOOM_WEBHOOK_SECRET_ACME__BENCH'
  for (let n = 0; n < count; n++) await call('webhook.register', { url: `http://127.0.0.1:${sink.port}/w${n}`, secret_ref })
  let written = 0
  return {
    async fill(each) {
      const entries = Array.from({ length: each }, () => ({
        memory_key: `bench/${++written}`,
        value: `The value number ${written} of the bench.`,
      }))
      for (let at = 0; at < entries.length; at += 500) await call('memory.bulk_set', { entries: entries.slice(at, at + 500) })
      // Whatever else is due runs before, while events wait for their secret, so that the pass is timed alone.
      hasSecret = false
      now += 120_000
      await engine.runDueJobs(new Date(now))
      hasSecret = true
      now += 10_000
    },
    async pass() {
      const from = performance.now()
      await engine.runDueJobs(new Date(now))
      return (performance.now() - from) / 1000
    },
    async close() {
      await engine.close()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
