import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from 'kysely'
import type { TestEngine } from '../helpers/engine.ts'
import { openTeam, type Desktop, type Team } from './team.ts'

let team: Team
let one: Desktop
let two: Desktop
beforeAll(async () => {
  team = await openTeam()
  one = await team.desktop({ subject: 'one' })
  two = await team.desktop({ subject: 'two' })
})
afterAll(() => team.close())

const onServer = (op: Parameters<Team['server']['call']>[1], input: object): Promise<Record<string, unknown>> =>
  team.server.call(team.admin, op, { namespace: 'chat', ...input })
const write = (desktop: Desktop, number: string, fields: Record<string, string | number>) =>
  desktop.call('memory.record.write', { schema: 'ticket', fields: { number, ...fields } })

/** What every host must agree on: the heads, and the history under them. */
async function held(loom: TestEngine): Promise<unknown> {
  const { reader } = loom.database
  const heads =
    await sql`SELECT record_id, record_key, version, fields, vals, tombstoned FROM loom.memory_record WHERE org = 'acme' ORDER BY record_id`.execute(
      reader,
    )
  const versions = await sql`SELECT record_id, version, fields, changed, actor, provisional FROM loom.memory_record_version
    WHERE org = 'acme' ORDER BY record_id, version`.execute(reader)
  const schemas =
    await sql`SELECT schema, version, status, fields FROM loom.memory_schema WHERE org = 'acme' ORDER BY schema, version`.execute(reader)
  return { heads: heads.rows, versions: versions.rows, schemas: schemas.rows }
}

const agree = () => team.agree([one, two], held)

it('brings a schema and its records to the server and to other desktops', async () => {
  one.wire.mode = 'cut'
  await one.call('memory_schema.propose', {
    schema: 'ticket',
    fields: [
      { name: 'number', type: 'string', identity: true, required: true },
      { name: 'status', type: 'string' },
      { name: 'amount', type: 'number' },
    ],
  })
  await one.call('memory_schema.approve', { schema: 'ticket', decision: 'approve', version: 1 })
  const made = await write(one, 'INV-1', { status: 'open', amount: 99.5 })
  await write(one, 'inv 1', { status: 'waiting' })
  expect((await one.call('sync.status', {})).queued).toBe(4)
  one.wire.mode = 'open'
  await agree()
  expect((await one.call('sync.status', {})).queued).toBe(0)
  expect((await one.call('sync.inbox', {})).items).toEqual([])
  expect(await two.call('memory.record.get', { schema: 'ticket', record_key: 'ticket/inv1' })).toMatchObject({
    record_id: made.record_id,
    key_source: 'identity',
    actor: 'human:one',
    fields: { status: { value: 'waiting' }, amount: { value: 99.5 } },
  })
  expect(await two.call('memory.aggregate', { schema: 'ticket', function: 'sum', field: 'amount' })).toMatchObject({
    groups: [{ value: 99.5 }],
  })
})

it('keeps each field that one side alone changed, and shows the loser of one that both did', async () => {
  for (const desktop of [one, two]) desktop.wire.mode = 'cut'
  await write(one, 'INV-1', { amount: 5, status: 'closed' })
  await write(two, 'INV-1', { amount: 7 })
  for (const desktop of [one, two]) desktop.wire.mode = 'open'
  await one.sync()
  await two.sync()
  await agree()
  expect(await one.call('memory.record.get', { schema: 'ticket', record_key: 'ticket/inv1' })).toMatchObject({
    fields: { status: { value: 'closed' }, amount: { value: 7 } },
  })
  const { changes } = await one.call('memory.record.conflicts', {
    schema: 'ticket',
    record_key: 'ticket/inv1',
    field: 'amount',
    values_only: true,
  })
  expect(changes.slice(0, 2)).toMatchObject([
    { from: { value: 5 }, to: { value: 7 }, from_actor: 'human:one', to_actor: 'human:two' },
    { from: { value: 99.5 }, to: { value: 5 } },
  ])
})

it('makes one record of two that were made apart, and pushes nothing for a write that changed nothing', async () => {
  for (const desktop of [one, two]) desktop.wire.mode = 'cut'
  await write(one, 'NEW 7', { status: 'open' })
  await write(two, 'new-7', { amount: 1 })
  await write(two, 'new-7', { amount: 1 })
  expect((await two.call('sync.status', {})).queued).toBe(1)
  for (const desktop of [one, two]) desktop.wire.mode = 'open'
  await agree()
  expect(((await onServer('memory.record.history', { schema: 'ticket', record_key: 'ticket/new7' }))['versions'] as unknown[]).length).toBe(
    2,
  )
})

it('deletes what was seen, and keeps a record that somebody changed meanwhile', async () => {
  await one.call('memory.record.delete', { schema: 'ticket', record_key: 'ticket/new7' })
  await agree()
  expect(await two.call('memory.record.get', { schema: 'ticket', record_key: 'ticket/new7' })).toEqual({ found: false })
  one.wire.mode = 'cut'
  await one.call('memory.record.delete', { schema: 'ticket', record_key: 'ticket/inv1' })
  await write(two, 'INV-1', { status: 'open again' })
  await two.sync()
  one.wire.mode = 'open'
  await agree()
  expect(await one.call('memory.record.get', { schema: 'ticket', record_key: 'ticket/inv1' })).toMatchObject({
    fields: { status: { value: 'open again' } },
  })
  expect((await one.call('sync.inbox', {})).items).toMatchObject([
    { change: 'reverted', op: 'memory.record.delete', code: 'PRECONDITION_FAILED', memory_key: 'ticket/inv1' },
  ])
})

it('shows the person a write that the schema of the team does not take', async () => {
  one.wire.mode = 'cut'
  await write(one, 'LATE', { status: 'whatever' })
  const fields = [
    { name: 'number', type: 'string', identity: true, required: true },
    { name: 'status', type: 'string', enum_values: ['open', 'closed'] },
    { name: 'amount', type: 'number' },
  ]
  await onServer('memory_schema.register', { schema: 'ticket', fields })
  one.wire.mode = 'open'
  await agree()
  const { items } = await one.call('sync.inbox', { change: 'reverted' })
  expect(items[0]).toMatchObject({
    op: 'memory.record.write',
    code: 'SCHEMA_VIOLATION',
    memory_key: 'ticket/late',
    mine: { value: { number: 'LATE', status: 'whatever' } },
  })
  expect(await one.call('memory.record.get', { schema: 'ticket', record_key: 'ticket/late' })).toEqual({ found: false })
})

it('survives an answer that was lost, and a restart in between', async () => {
  one.wire.mode = 'lose'
  await write(one, 'LOST', { status: 'open' })
  await one.sync().catch(() => undefined)
  await one.restart()
  one.wire.mode = 'open'
  await write(one, 'LOST', { amount: 3 })
  await agree()
  const { versions } = await two.call('memory.record.history', { schema: 'ticket', record_key: 'ticket/lost' })
  expect(versions.map((row) => [row.fields['status']?.value, row.fields['amount']?.value])).toEqual([
    ['open', 3],
    ['open', undefined],
  ])
})

it('gives a device what its token reaches, and no more', async () => {
  await onServer('memory.record.write', { agent: 'a', user_id: 'u1', schema: 'ticket', fields: { number: 'U1', status: 'open' } })
  const elsewhere = await team.desktop({ connect: false })
  const { code } = await team.code({ other: 'viewer' }, 'three')
  await elsewhere.call('sync.connect', { server_url: team.server.url.replace('/v1/shape', ''), code, use_namespace: 'other' })
  await elsewhere.sync()
  expect(await held(elsewhere.loom)).toEqual({ heads: [], versions: [], schemas: [] })
  expect(await one.call('sync.disconnect', { keep_rows: false, discard_queue: true })).toMatchObject({ disconnected: true })
  expect(await held(one.loom)).toEqual({ heads: [], versions: [], schemas: [] })
})
