import { setTimeout as sleep } from 'node:timers/promises'
import { ShapeStream, isChangeMessage, isControlMessage, type Row } from '@electric-sql/client'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '../../../shared/engine/db/database.ts'
import { eraseShapeLogs } from '../../../shared/engine/shapes/erase.ts'
import { compactChanges } from '../../../shared/engine/shapes/change-log.ts'
import type { ShapeServer } from './shape-server.ts'
import { until } from './shape-server.ts'

/** A small deterministic source of chance. */
function chance(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Table = 'memory' | 'relations' | 'pairs'
const NAMESPACES = ['n0', 'n1', 'n2']
const USERS = ['u0', 'u1']

interface Follower {
  readonly table: Table
  readonly namespaces: readonly string[] | null
  readonly user: string
  readonly rows: Map<string, Row>
  readonly stop: () => void
  readonly errors: unknown[]
}

/** Applies as a device does: what was gathered is put in place when the log says that it is whole. */
function followStrictly(url: string, token: string, table: Table, live: boolean): Pick<Follower, 'rows' | 'stop' | 'errors'> {
  const ending = new AbortController()
  const rows = new Map<string, Row>()
  const errors: unknown[] = []
  const stream = new ShapeStream({
    url,
    params: { table },
    headers: { authorization: `Bearer ${token}` },
    signal: ending.signal,
    liveSse: live,
    backoffOptions: { initialDelay: 20, maxDelay: 200, multiplier: 1.5 },
    onError: (error) => {
      errors.push(error)
      return {}
    },
  })
  stream.subscribe(
    (messages) => {
      for (const message of messages) {
        if (isControlMessage(message)) {
          if (message.headers.control === 'must-refetch') rows.clear()
        } else if (isChangeMessage(message)) {
          const had = rows.get(message.key)
          if (message.headers.operation === 'delete') rows.delete(message.key)
          else if (message.headers.operation === 'insert') rows.set(message.key, message.value)
          else if (had) rows.set(message.key, { ...had, ...message.value })
          else errors.push(new Error(`an update of ${message.key}, which this follower never had`))
        }
      }
    },
    () => {},
  )
  return { rows, errors, stop: () => ending.abort() }
}

/** Random changes of rows, in transactions of their own, some of them rolled back. */
async function write(database: Database, random: (below: number) => number, end: () => boolean): Promise<void> {
  while (!end()) {
    await database
      .transaction(async (tx) => {
        for (let left = 1 + random(4); left > 0; left--) await change(tx, random)
        if (random(12) === 0) throw new Error('rolled back')
        if (database.kind === 'postgres' && random(4) === 0) await sleep(random(20))
      })
      .catch((error: unknown) => {
        const { code, message } = error as { code?: string; message: string }
        if (message !== 'rolled back' && code !== '40P01' && code !== '23505') throw error
      })
    await sleep(random(6))
  }
}

async function change(tx: Parameters<Parameters<Database['transaction']>[0]>[0], random: (below: number) => number): Promise<void> {
  const id = `m${random(60)}`
  const namespace = NAMESPACES[random(3)] ?? ''
  const user = USERS[random(2)] ?? ''
  const text = `v${random(1_000_000)}`
  switch (random(8)) {
    case 0:
    case 1:
      await sql`INSERT INTO loom.memory (org, namespace, agent, user_id, session_id, memory_key, memory_id, version, value, memory_type, status, actor, source_class, created_at, updated_at)
        VALUES ('acme', ${namespace}, 'a', ${user}, '-', ${id}, ${id}, 1, ${text}, 'semantic', 'active', 'human:t', 'user', now(), now())
        ON CONFLICT (org, memory_id) DO UPDATE SET value = excluded.value, rev = loom.memory.rev + 1`.execute(tx)
      return
    case 2:
      await sql`UPDATE loom.memory SET namespace = ${namespace}, rev = rev + 1 WHERE org = 'acme' AND memory_id = ${id}`.execute(tx)
      return
    case 3:
      await sql`UPDATE loom.memory SET user_id = ${user}, rev = rev + 1 WHERE org = 'acme' AND memory_id = ${id}`.execute(tx)
      return
    case 4:
      await sql`DELETE FROM loom.memory WHERE org = 'acme' AND memory_id = ${id}`.execute(tx)
      await sql`DELETE FROM loom.memory_relation WHERE org = 'acme' AND memory_id = ${id}`.execute(tx)
      return
    case 5:
      await sql`UPDATE loom.memory SET erased_by = CASE erased_by WHEN '' THEN 'e' ELSE '' END WHERE org = 'acme' AND memory_id = ${id}`.execute(
        tx,
      )
      return
    case 6:
      await sql`DELETE FROM loom.memory_relation WHERE org = 'acme' AND memory_id = ${id}`.execute(tx)
      await sql`INSERT INTO loom.memory_relation (org, memory_id, position, subject, predicate, object) VALUES ('acme', ${id}, ${random(2)}, ${text}, 'is', 'x')
        ON CONFLICT DO NOTHING`.execute(tx)
      return
    default:
      await sql`INSERT INTO loom.memory_pair (org, pair_id, namespace, kind, state, row_id, peer_id, relation, similarity, reason, confidence, unsure, origin, judge_version, at)
        VALUES ('acme', ${`p${random(20)}`}, ${namespace}, 'conflict', 'open', ${id}, ${`m${random(60)}`}, 'conflict', 1, ${text}, 1, false, 'local', '1', now())
        ON CONFLICT (org, pair_id) DO UPDATE SET reason = excluded.reason, row_id = excluded.row_id`.execute(tx)
  }
}

/** What a follower is to have at the end, asked of the tables themselves. */
async function expected(database: Database, { table, namespaces, user }: Follower): Promise<string[]> {
  const reach = (alias: string): string =>
    [
      `${alias}.erased_by = ''`,
      ...(namespaces ? [`${alias}.namespace IN (${namespaces.map((name) => `'${name}'`).join(', ')})`] : []),
      ...(user ? [`${alias}.user_id = '${user}'`] : []),
    ].join(' AND ')
  const text = {
    memory: `SELECT m.memory_id || ' ' || m.namespace || ' ' || m.user_id || ' ' || m.value || ' ' || m.rev AS row FROM loom.memory m WHERE m.org = 'acme' AND ${reach('m')}`,
    relations: `SELECT t.memory_id || ' ' || t.position || ' ' || t.subject AS row FROM loom.memory_relation t JOIN loom.memory m ON m.org = t.org AND m.memory_id = t.memory_id WHERE t.org = 'acme' AND ${reach('m')}`,
    pairs: `SELECT t.pair_id || ' ' || t.row_id || ' ' || t.reason AS row FROM loom.memory_pair t JOIN loom.memory a ON a.org = t.org AND a.memory_id = t.row_id JOIN loom.memory b ON b.org = t.org AND b.memory_id = t.peer_id WHERE t.org = 'acme' AND ${reach('a')} AND ${reach('b')}`,
  }[table]
  const { rows } = await sql<{ row: string }>`${sql.raw(text)}`.execute(database.reader)
  return rows.map(({ row }) => row).sort()
}

function had({ table, rows }: Follower): string[] {
  const columns = {
    memory: ['memory_id', 'namespace', 'user_id', 'value', 'rev'],
    relations: ['memory_id', 'position', 'subject'],
    pairs: ['pair_id', 'row_id', 'reason'],
  }[table]
  return [...rows.values()].map((row) => columns.map((name) => `${row[name] as string | number | bigint}`).join(' ')).sort()
}

/**
 * Writers and followers at once, with handles ended, change logs dropped and servers restarted in between; at the end
 * every follower has the rows of its token, and only these.
 */
export async function fuzz(server: ShapeServer, seed: number, ms: number): Promise<void> {
  const { database } = server.loom
  const random = chance(seed)
  let ended = false
  const writers = Array.from({ length: database.kind === 'postgres' ? 4 : 2 }, (_, at) =>
    write(database, chance(seed + at + 1), () => ended),
  )
  const followers: Follower[] = []
  const from = performance.now()
  while (performance.now() - from < ms) {
    await sleep(random(250))
    const turn = random(10)
    if (turn === 0) await eraseShapeLogs(database, { org: 'acme', namespaces: [NAMESPACES[random(3)] ?? ''], user_id: '' })
    if (turn === 1) await server.restart()
    if (turn === 2) await database.transaction((tx) => compactChanges(tx, 'acme', null))
    if (turn > 2 && followers.length < 14) {
      const namespaces = [null, ['n0'], ['n1', 'n2']][random(3)] ?? null
      const user = random(3) === 0 ? (USERS[random(2)] ?? '') : ''
      const table = (['memory', 'memory', 'relations', 'pairs'] as const)[random(4)] ?? 'memory'
      const grants = Object.fromEntries((namespaces ?? ['*']).map((name) => [name, 'viewer' as const]))
      const token = await server.token({ grants, user_id: user })
      followers.push({ table, namespaces, user, ...followStrictly(server.url, token, table, random(2) === 0) })
    }
  }
  ended = true
  await Promise.all(writers)
  expect(followers.length).toBeGreaterThan(5)
  expect(server.faults).toEqual([])
  for (const follower of followers) {
    const want = await expected(database, follower)
    await until(() => JSON.stringify(had(follower)) === JSON.stringify(want), 6000).catch(() => {
      expect({ ...follower, rows: had(follower) }).toMatchObject({ rows: want })
    })
    expect(follower.errors.filter((error) => String(error).includes('never had'))).toEqual([])
    follower.stop()
  }
}
