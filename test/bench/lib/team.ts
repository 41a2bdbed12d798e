import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { PgliteDatabase } from '../../../shared/engine/db/pglite.ts'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { ensureSnapshot } from '../../../shared/engine/db/snapshot.ts'
import { memorySecrets } from '../../../shared/engine/sync/desktop/secrets.ts'
import { openShapeServer, type ShapeServer } from '../../engine/shapes/shape-server.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { TEST_CACHE } from '../../helpers/model-worker.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'
import { claimAt } from './engine.ts'

const AT_ONCE = 200
const PLACE = { org: 'acme', namespace: 'chat', agent: 'a' } as const
/** Tables of which a shape brings the rows of memories. */
const TABLES = ['memory', 'memory_version'] as const

export interface BenchDesktop {
  readonly loom: TestEngine
  /** Milliseconds that pushes took so far, and when the last was answered. */
  readonly pushed: { ms: number; at: number }
  isCut: boolean
  sync(): Promise<void>
  close(): Promise<void>
}

export interface BenchTeam {
  readonly server: ShapeServer
  readonly admin: string
  /** Writes claims `from` to `to` on the server, as bulk_set does. */
  fill(from: number, to: number, namespace?: string): Promise<void>
  /** Copies all rows of the server, with ids and keys of their own, until there are `times` as many. */
  multiply(times: number): Promise<void>
  desktop(): Promise<BenchDesktop>
  /** Milliseconds of a bare COPY of the server's rows into a new database of the same schema. */
  bareCopy(): Promise<number>
  close(): Promise<void>
}

/** A server and desktops without models: vectors are each host's own, and made after the rows are there. */
export async function openBenchTeam(): Promise<BenchTeam> {
  const server = await openShapeServer({}, { config: { rates: UNLIMITED, checkOutputs: false }, models: NO_MODELS })
  const admin = await server.token({ grants: { '*': 'org_admin' } })
  const url = server.url.replace('/v1/shape', '')
  const { pg } = server.loom.database as PgliteDatabase
  const columnsOf = async (table: string): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = 'loom' AND table_name = ${table} AND is_generated = 'NEVER' ORDER BY ordinal_position`.execute(
      server.loom.database.reader,
    )
    return rows.map((row) => row.name)
  }
  return {
    server,
    admin,
    async fill(from, to, namespace = PLACE.namespace) {
      for (let at = from; at < to; at += AT_ONCE) {
        const entries = Array.from({ length: Math.min(AT_ONCE, to - at) }, (_, of) => claimAt(at + of))
        await server.call(admin, 'memory.bulk_set', { ...PLACE, namespace, entries })
      }
    },
    async multiply(times) {
      for (const table of TABLES) {
        const columns = await columnsOf(table)
        const changed: Record<string, string> = { memory_id: `memory_id || '-c' || c`, memory_key: `memory_key || '/c' || c` }
        const values = columns.map((column) => changed[column] ?? column)
        await sql
          .raw(
            `INSERT INTO loom.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM loom.${table}, generate_series(1, ${times - 1}) AS c`,
          )
          .execute(server.loom.database.reader)
      }
    },
    async desktop() {
      const folder = await mkdtemp(join(tmpdir(), 'loom-bench-'))
      const pushed = { ms: 0, at: 0 }
      const desktop = { pushed, isCut: false } as BenchDesktop & { loom: TestEngine }
      const send: typeof fetch = async (input, init) => {
        if (desktop.isCut) throw new TypeError('fetch failed')
        const isPush = String(input instanceof Request ? input.url : input).endsWith('/v1/sync.push')
        const from = performance.now()
        const response = await fetch(input, init)
        if (!isPush) return response
        const body = await response.arrayBuffer()
        pushed.at = performance.now()
        pushed.ms += pushed.at - from
        return new Response(body, { status: response.status, headers: response.headers })
      }
      const sync = { secrets: memorySecrets(), fetch: send, deviceName: 'bench', platform: 'bench' }
      desktop.loom = await openTestEngine({ models: NO_MODELS, folder, sync, config: { checkOutputs: false } })
      const { code } = await server.call(admin, 'pair.create', { subject: 'bench', grants: { '*': 'admin' } })
      await desktop.loom.call('sync.connect', { server_url: url, code: String(code), use_namespace: PLACE.namespace })
      return Object.assign(desktop, {
        sync: () => desktop.loom.engine.sync?.once() ?? Promise.resolve(),
        async close() {
          await desktop.loom.close()
          await rm(folder, { recursive: true, force: true })
        },
      })
    },
    async bareCopy() {
      const folder = await mkdtemp(join(tmpdir(), 'loom-bench-'))
      const bare = await openPglite({ dataDir: join(folder, 'pg'), snapshot: await ensureSnapshot(TEST_CACHE) })
      let ms = 0
      for (const table of TABLES) {
        const columns = (await columnsOf(table)).join(', ')
        const { blob } = await pg.query(`COPY loom.${table} (${columns}) TO '/dev/blob'`)
        if (!blob) throw new Error('nothing to copy')
        const from = performance.now()
        await bare.pg.query(`COPY loom.${table} (${columns}) FROM '/dev/blob'`, [], { blob })
        ms += performance.now() - from
      }
      await bare.close()
      await rm(folder, { recursive: true, force: true })
      return ms
    },
    close: () => server.close(),
  }
}
