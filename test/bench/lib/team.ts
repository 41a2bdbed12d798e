import { fork, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { ensureSnapshot } from '../../../shared/engine/db/snapshot.ts'
import { memorySecrets } from '../../../shared/engine/sync/desktop/secrets.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { TEST_CACHE } from '../../helpers/model-worker.ts'
import { cpuMs, PLACE, type Answered, type Asked, type Dump, type TeamServer } from './team-server.ts'

export interface BenchDesktop {
  readonly loom: TestEngine
  /** Milliseconds that pushes took so far, and when the last was answered. */
  readonly pushed: { ms: number; at: number }
  isCut: boolean
  sync(): Promise<void>
  close(): Promise<void>
}

/** Wall and processor time in milliseconds. */
export interface Took {
  readonly ms: number
  readonly cpu: number
}

export interface BenchTeam extends Omit<TeamServer, 'dump' | 'address' | 'code' | 'fill'> {
  fill(from: number, to: number, namespace?: string): Promise<number>
  desktop(): Promise<BenchDesktop>
  /** A bare COPY of the server's rows into a new database of the same schema. */
  bareCopy(): Promise<Took>
  close(): Promise<void>
}

/** The server of a bench, behind messages to its process. */
async function startServer(): Promise<{ child: ChildProcess; ask<T>(what: Asked['what'], ...args: readonly unknown[]): Promise<T> }> {
  const child = fork(fileURLToPath(new URL('team-server.mjs', import.meta.url)), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  let asked = 0
  child.on('message', ({ id, value, error }: Answered) => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) one?.resolve(value)
    else one?.reject(new Error(error))
  })
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the server of the bench ended with ${code}`))
  })
  await new Promise((resolve, reject) => waiting.set(0, { resolve, reject }))
  return {
    child,
    ask: <T>(what: Asked['what'], ...args: readonly unknown[]) =>
      new Promise<T>((resolve, reject) => {
        const id = ++asked
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
        child.send({ id, what, args } satisfies Asked)
      }),
  }
}

/** Counts the milliseconds of pushes, and breaks the line where it is cut. */
function countingFetch(desktop: Pick<BenchDesktop, 'pushed' | 'isCut'>): typeof fetch {
  return async (input, init) => {
    if (desktop.isCut) throw new TypeError('fetch failed')
    const isPush = String(input instanceof Request ? input.url : input).endsWith('/v1/sync.push')
    const from = performance.now()
    const response = await fetch(input, init)
    if (!isPush) return response
    const body = await response.arrayBuffer()
    desktop.pushed.at = performance.now()
    desktop.pushed.ms += desktop.pushed.at - from
    return new Response(body, { status: response.status, headers: response.headers })
  }
}

/** A server and desktops without models: vectors are each host's own, and made after the rows are there. */
export async function openBenchTeam(): Promise<BenchTeam> {
  const { child, ask } = await startServer()
  const { url } = await ask<Awaited<ReturnType<TeamServer['address']>>>('address')
  const dumps = await mkdtemp(join(tmpdir(), 'loom-bench-'))
  /** What the server held when it was last asked; null after it changed. */
  let dumped: Dump[] | null = null
  return {
    cpu: () => ask('cpu'),
    fill(from, to, namespace = PLACE.namespace) {
      dumped = null
      return ask('fill', from, to, namespace)
    },
    multiply(times) {
      dumped = null
      return ask('multiply', times)
    },
    async desktop() {
      const folder = await mkdtemp(join(tmpdir(), 'loom-bench-'))
      const desktop = { pushed: { ms: 0, at: 0 }, isCut: false } as BenchDesktop & { loom: TestEngine }
      const sync = { secrets: memorySecrets(), fetch: countingFetch(desktop), deviceName: 'bench', platform: 'bench' }
      desktop.loom = await openTestEngine({ models: NO_MODELS, folder, sync, config: { checkOutputs: false } })
      await desktop.loom.call('sync.connect', { server_url: url, code: await ask<string>('code'), use_namespace: PLACE.namespace })
      return Object.assign(desktop, {
        sync: () => desktop.loom.engine.sync?.once() ?? Promise.resolve(),
        async close() {
          await desktop.loom.close()
          await rm(folder, { recursive: true, force: true })
        },
      })
    },
    async bareCopy() {
      dumped ??= await ask<Dump[]>('dump', dumps)
      const folder = await mkdtemp(join(tmpdir(), 'loom-bench-'))
      const bare = await openPglite({ dataDir: join(folder, 'pg'), snapshot: await ensureSnapshot(TEST_CACHE) })
      let [ms, cpu] = [0, 0]
      for (const { table, columns, file } of dumped) {
        const blob = new Blob([await readFile(file)])
        const [from, fromCpu] = [performance.now(), cpuMs()]
        await bare.pg.query(`COPY loom.${table} (${columns}) FROM '/dev/blob'`, [], { blob })
        ms += performance.now() - from
        cpu += cpuMs() - fromCpu
      }
      await bare.close()
      await rm(folder, { recursive: true, force: true })
      return { ms, cpu }
    },
    async close() {
      await ask('close')
      child.kill()
      await rm(dumps, { recursive: true, force: true })
    },
  }
}
