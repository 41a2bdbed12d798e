import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { PgliteDatabase } from '../../../shared/engine/db/pglite.ts'
import { openShapeServer, type ShapeServer } from '../../engine/shapes/shape-server.ts'
import { NO_MODELS } from '../../helpers/engine.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'
import { claimAt } from './engine.ts'

/** The server of a bench, in a process of its own as in life: it is told what to do by messages, and answers each. */

const AT_ONCE = 200
export const PLACE = { org: 'acme', namespace: 'chat', agent: 'a' } as const
/** Tables of which a shape brings the rows of memories. */
const TABLES = ['memory', 'memory_version'] as const

/** Rows of a table as COPY takes them. */
export interface Dump {
  readonly table: string
  readonly columns: string
  readonly file: string
}

/** What a bench asks of it. */
export interface TeamServer {
  address(): Promise<{ url: string; admin: string }>
  /** A pairing code. */
  code(): Promise<string>
  /** Writes claims `from` to `to` as bulk_set does; answers the milliseconds that it took. */
  fill(from: number, to: number, namespace: string): Promise<number>
  /** Copies all rows, with ids and keys of their own, until there are `times` as many. */
  multiply(times: number): Promise<void>
  /** Writes the rows of memories into files of a folder. */
  dump(folder: string): Promise<Dump[]>
  /** Milliseconds of processor time so far. */
  cpu(): Promise<number>
}

export interface Asked {
  readonly id: number
  readonly what: keyof TeamServer | 'close'
  readonly args: readonly unknown[]
}
export interface Answered {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function columnsOf({ loom }: ShapeServer, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'loom' AND table_name = ${table} AND is_generated = 'NEVER' ORDER BY ordinal_position`.execute(
    loom.database.reader,
  )
  return rows.map((row) => row.name)
}

async function openTeamServer(): Promise<TeamServer & { close(): Promise<void> }> {
  const server = await openShapeServer({}, { config: { rates: UNLIMITED, checkOutputs: false }, models: NO_MODELS })
  const admin = await server.token({ grants: { '*': 'org_admin' } })
  const { pg } = server.loom.database as PgliteDatabase
  let round = 0
  return {
    address: async () => ({ url: server.url.replace('/v1/shape', ''), admin }),
    cpu: async () => cpuMs(),
    code: async () => String((await server.call(admin, 'pair.create', { subject: 'bench', grants: { '*': 'admin' } }))['code']),
    async fill(from, to, namespace) {
      const begun = performance.now()
      for (let at = from; at < to; at += AT_ONCE) {
        const entries = Array.from({ length: Math.min(AT_ONCE, to - at) }, (_, of) => claimAt(at + of))
        await server.call(admin, 'memory.bulk_set', { ...PLACE, namespace, entries })
      }
      return performance.now() - begun
    },
    async multiply(times) {
      round++
      for (const table of TABLES) {
        const columns = await columnsOf(server, table)
        const changed: Record<string, string> = {
          memory_id: `memory_id || '-${round}c' || c`,
          memory_key: `memory_key || '/${round}c' || c`,
        }
        const values = columns.map((column) => changed[column] ?? column)
        await sql
          .raw(
            `INSERT INTO loom.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM loom.${table}, generate_series(1, ${times - 1}) AS c`,
          )
          .execute(server.loom.database.reader)
      }
    },
    async dump(folder) {
      const dumps: Dump[] = []
      for (const table of TABLES) {
        const columns = (await columnsOf(server, table)).join(', ')
        const { blob } = await pg.query(`COPY loom.${table} (${columns}) TO '/dev/blob'`)
        if (!blob) throw new Error('nothing to copy')
        const file = join(folder, table)
        await writeFile(file, Buffer.from(await blob.arrayBuffer()))
        dumps.push({ table, columns, file })
      }
      return dumps
    },
    close: () => server.close(),
  }
}

/** Serves until it is told to close, or its parent is gone. */
export async function serveTeam(): Promise<void> {
  const server = await openTeamServer()
  const answer = async ({ id, what, args }: Asked): Promise<Answered> => {
    try {
      return { id, value: await (server[what] as (...all: readonly unknown[]) => Promise<unknown>)(...args) }
    } catch (error) {
      return { id, error: error instanceof Error ? error.message : String(error) }
    }
  }
  // Whoever forked it may be gone without a word.
  process.on('disconnect', () => process.exit())
  const serve = async (asked: Asked): Promise<void> => {
    process.send?.(await answer(asked))
    if (asked.what === 'close') process.disconnect()
  }
  process.on('message', (asked: Asked) => void serve(asked))
  process.send?.({ id: 0 } satisfies Answered)
}
