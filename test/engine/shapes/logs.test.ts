import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { VERSION_COLUMNS, GUARD_COLUMNS } from '../../../shared/engine/db/columns.ts'
import type { ShapeDefinition } from '../../../shared/engine/shapes/columns.ts'
import { SHAPES } from '../../../shared/engine/shapes/definitions.ts'
import { countShapeLogs, eraseShapeLogs } from '../../../shared/engine/shapes/erase.ts'
import { openPositionNote } from '../../../shared/engine/shapes/instance.ts'
import { watchTables } from '../../../shared/engine/shapes/triggers.ts'
import { openTestEngine, NO_MODELS } from '../../helpers/engine.ts'
import { openShapeServer, type ShapeServer } from './shape-server.ts'

let server: ShapeServer
let admin: string
let now = Date.now()
beforeAll(async () => {
  server = await openShapeServer({ clock: () => now }, { clock: () => now })
  admin = await server.token({ grants: { '*': 'org_admin' } })
})
afterAll(() => server.close())

const count = async (table: string, where = 'true'): Promise<number> => {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql.table(`loom.${table}`)} WHERE ${sql.raw(where)}`.execute(
    server.loom.database.reader,
  )
  return rows[0]?.n ?? 0
}
const set = (namespace: string, key: string, value: string): Promise<Record<string, unknown>> =>
  server.call(admin, 'memory.set', { namespace, agent: 'a', memory_key: key, value })
async function handleOf(token: string, table = 'memory'): Promise<string> {
  return (await server.ask(token, { table, offset: 'now' })).headers.get('electric-handle') ?? ''
}
const everything = async (): Promise<string> => {
  const { rows } = await sql<{ text: string }>`SELECT coalesce(string_agg(c::text, ' '), '') AS text FROM loom.change_log c`.execute(
    server.loom.database.reader,
  )
  return rows[0]?.text ?? ''
}

describe('what a shape is', () => {
  test.each(Object.entries(SHAPES) as [string, ShapeDefinition][])(
    '%s has the columns of its table, by their types',
    async (_name, shape) => {
      const { rows } = await sql<{ name: string; type: string; dims: number; nullable: boolean; place: number | null }>`
      SELECT a.attname AS name, coalesce(e.typname, t.typname) AS type, a.attndims::int AS dims, NOT a.attnotnull AS nullable,
        array_position(i.indkey::int2[], a.attnum)::int AS place
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
        LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
      WHERE a.attrelid = ${`loom.${shape.relation[1]}`}::regclass AND a.attnum > 0 AND NOT a.attisdropped`.execute(
        server.loom.database.reader,
      )
      const table = new Map(rows.map((row) => [row.name, row]))
      for (const column of shape.columns) {
        const there = table.get(column.name)
        expect([column.name, there?.type, there?.dims ?? 0, there?.nullable]).toEqual([
          column.name,
          column.type,
          column.dims ?? 0,
          column.nullable ?? false,
        ])
      }
      const key = rows.filter((row) => row.place !== null).toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))
      expect(shape.key).toEqual(key.map((row) => row.name))
      expect(shape.key[0]).toBe('org')
    },
  )

  test('memory and versions leave out nothing that a device cannot make by itself', () => {
    const names = (name: 'memory' | 'versions'): Set<string> => new Set(SHAPES[name].columns.map((column) => column.name))
    for (const column of VERSION_COLUMNS)
      if (column !== 'erased_by') expect([names('memory').has(column), names('versions').has(column), column]).toEqual([true, true, column])
    for (const column of [...GUARD_COLUMNS, 'rev', 'change_id', 'device_id'])
      expect([names('memory').has(column), column]).toEqual([true, column])
    expect(names('versions').has('lost')).toBe(true)
  })
})

describe('the change log', () => {
  test('names rows and holds nothing of them, and is dropped an hour after it is told', async () => {
    const token = await server.token({ grants: { log: 'viewer' } })
    await handleOf(token)
    await set('log', 'some/key', 'The secret word is swordfish.')
    expect(await everything()).toContain('log')
    expect(await everything()).not.toMatch(/swordfish|some\/key/)
    const noted = await count('change_log')
    await server.loom.engine.runDueJobs(new Date(now))
    expect(await count('change_log')).toBe(noted)
    now += 3_660_000
    await server.loom.engine.runDueJobs(new Date(now))
    expect(await count('change_log')).toBe(0)
    expect(await count('org', `org = 'acme' AND change_floor > '0'`)).toBe(1)
    const answer = await server.ask(token, { table: 'memory', offset: '0_0', handle: await handleOf(token) })
    expect(await answer.text()).toContain('swordfish')
  })

  test('is written by a server alone: a desktop’s tables note nothing', async () => {
    const desktop = await openTestEngine({ models: NO_MODELS })
    await desktop.call('memory.set', { memory_key: 'k', value: 'A desktop keeps this.' })
    const { rows } = await sql<{ changes: number; triggers: number }>`SELECT (SELECT count(*)::int FROM loom.change_log) AS changes,
      (SELECT count(*)::int FROM pg_trigger WHERE tgname = 'change_log') AS triggers`.execute(desktop.database.reader)
    expect(rows[0]).toEqual({ changes: 0, triggers: 0 })
    await desktop.close()
  })

  test('has a number of the row that grows with every change, also of one that makes no version', async () => {
    const token = await server.token({ grants: { rev: 'viewer' } })
    await set('rev', 'k', 'Counted.')
    const revs = async (): Promise<string[]> => {
      const handle = await handleOf(token)
      let text = ''
      for (const offset of ['-1', '0_0']) text += await (await server.ask(token, { table: 'memory', offset, handle })).text()
      return [...text.matchAll(/"rev":"(\d+)"/g)].map((found) => found[1] ?? '')
    }
    expect(await revs()).toHaveLength(1)
    for (const [op, more] of [
      ['memory.lock', { reason: 'x' }],
      ['memory.unlock', {}],
    ] as const)
      await server.call(admin, op, { namespace: 'rev', agent: 'a', memory_key: 'k', ...more })
    const all = await revs()
    expect(new Set(all).size).toBe(all.length)
    expect(Number(all.at(-1))).toBe(Number(all[0]) + 2)
  })

  test('that went unwritten for a while ends every handle', async () => {
    const token = await server.token({ grants: { unseen: 'viewer' } })
    const before = await handleOf(token)
    await watchTables(server.loom.database)
    expect(await handleOf(token)).toBe(before)
    await sql.raw('ALTER TABLE loom.memory DISABLE TRIGGER change_log').execute(server.loom.database.reader)
    await watchTables(server.loom.database)
    expect(await handleOf(token)).not.toBe(before)
  })
})

describe('a handle ends', () => {
  test('with everything of an erased scope, and the census finds nothing left; others go on', async () => {
    await set('erased', 'gone', 'Zanzibar is to be forgotten.')
    await set('kept', 'stays', 'Lisbon stays.')
    const tokens = await Promise.all(
      [{ erased: 'viewer' }, { kept: 'viewer' }, { erased: 'viewer', kept: 'viewer' }].map((grants) =>
        server.token({ grants: grants as never }),
      ),
    )
    const before = await Promise.all(tokens.map((token) => handleOf(token)))
    expect(await count('shape_log', `body LIKE '%Zanzibar%'`)).toBeGreaterThan(0)
    const scope = { org: 'acme', namespaces: ['erased'], user_id: '' }
    expect((await countShapeLogs(server.loom.database.reader, scope, 1n)).shape_log).toBeGreaterThan(0)
    for (const table of ['memory', 'memory_version'])
      await sql`DELETE FROM ${sql.table(`loom.${table}`)} WHERE org = 'acme' AND namespace = 'erased'`.execute(server.loom.database.reader)
    const erased = await eraseShapeLogs(server.loom.database, scope)
    expect(erased.handles).toBe(2)
    expect(await countShapeLogs(server.loom.database.reader, scope, 1n)).toEqual({ change_log: 0, shape_log: 0 })
    expect(await count('shape_log', `body LIKE '%Zanzibar%'`)).toBe(0)
    const after = await Promise.all(tokens.map((token) => handleOf(token)))
    expect(after.map((handle, at) => handle === before[at])).toEqual([false, true, false])
    expect(await count('shape_log', `body LIKE '%Zanzibar%'`)).toBe(0)
    expect((await eraseShapeLogs(server.loom.database, { ...scope, namespaces: ['never'] })).handles).toBe(0)
  })

  test('when nobody read it for 7 days, when it is 30 days old, and when its log is too long', async () => {
    const names = ['unread', 'old', 'long', 'fresh'] as const
    const tokens = await Promise.all(names.map((name) => server.token({ grants: { [name]: 'viewer' } })))
    const before = await Promise.all(tokens.map((token) => handleOf(token)))
    const change = (at: number, what: string): Promise<unknown> =>
      sql`UPDATE loom.shape_handle SET ${sql.raw(what)} WHERE org = 'acme' AND handle = ${before[at]}`.execute(server.loom.database.reader)
    await change(0, `read_at = read_at - interval '7 days 1 minute'`)
    await change(1, `created_at = created_at - interval '30 days 1 minute'`)
    await change(2, `entries = 1000001`)
    now += 120_000
    expect(await server.loom.engine.runDueJobs(new Date(now))).toContain('shape_upkeep')
    const after = await Promise.all(tokens.map((token) => handleOf(token)))
    expect(after.map((handle, at) => handle === before[at])).toEqual([false, false, false, true])
    expect(await count('shape_log', `handle = '${before[2] ?? ''}'`)).toBe(0)
  })

  test('when the columns of its shape are not those that it was made for', async () => {
    const token = await server.token({ grants: { columns: 'viewer' } })
    const before = await handleOf(token)
    await sql`UPDATE loom.shape_handle SET columns_sha256 = 'of another build' WHERE org = 'acme' AND handle = ${before}`.execute(
      server.loom.database.reader,
    )
    await server.restart()
    const answer = await server.ask(token, { table: 'memory', offset: '0_0', handle: before })
    expect([answer.status, answer.headers.get('electric-handle') === before]).toEqual([409, false])
  })
})

describe('a restored database', () => {
  let folder: string
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'loom-test-'))))
  afterEach(() => rm(folder, { recursive: true, force: true }))
  const warnings: unknown[] = []
  const open = () => openPositionNote(server.loom.database, folder, { warn: (...said: unknown[]) => void warnings.push(said) })

  test('is known by a change log behind what the data folder has noted: new instance, new handles', async () => {
    const token = await server.token({ grants: { restored: 'viewer' } })
    const first = await open()
    first.take(3n)
    await first.close()
    const before = await handleOf(token)
    const same = await open()
    await same.close()
    expect(same.instanceId).toBe(first.instanceId)
    expect(await handleOf(token)).toBe(before)
    expect(warnings).toEqual([])

    const file = join(folder, 'shape-position.json')
    const note = JSON.parse(await readFile(file, 'utf8')) as { instance_id: string; xid: string }
    expect(note).toEqual({ instance_id: first.instanceId, xid: '3' })
    await writeFile(file, JSON.stringify({ ...note, xid: '99999999' }))
    const restored = await open()
    await restored.close()
    expect(restored.instanceId).not.toBe(first.instanceId)
    expect(await handleOf(token)).not.toBe(before)
    expect(warnings).toHaveLength(1)
  })

  test('of another identity is not measured by that note', async () => {
    await writeFile(join(folder, 'shape-position.json'), JSON.stringify({ instance_id: 'another', xid: '99999999' }))
    const token = await server.token({ grants: { swapped: 'viewer' } })
    const before = await handleOf(token)
    await (await open()).close()
    expect(await handleOf(token)).toBe(before)
  })
})
