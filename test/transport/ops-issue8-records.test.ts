import { expect } from 'vitest'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** Typed records: the main promise of each operation, the same on every road. */

const ticket = {
  schema: 'ticket',
  fields: [
    { name: 'number', type: 'string', identity: true, required: true },
    { name: 'status', type: 'string', enum_values: ['open', 'closed'] },
    { name: 'amount', type: 'number', min_value: 0 },
  ],
} as const
const schema = (): { schema: 'ticket'; fields: { name: string; type: 'string' | 'number' }[] } => structuredClone(ticket) as never
const record_key = 'ticket/inv1'

async function written(call: OpCall): Promise<void> {
  await call('memory_schema.register', schema())
  await call('memory.record.write', { schema: 'ticket', fields: { number: 'INV-1', status: 'open', amount: 99.5 } })
}

onEveryTransport('memory_schema.register', 'registers a schema, once', async (call) => {
  expect(await call('memory_schema.register', schema())).toEqual({ schema: 'ticket', version: 1, status: 'active', created: true })
  expect(await call('memory_schema.register', schema())).toMatchObject({ version: 1, created: false })
  const broken = { schema: 'x', fields: [{ name: 'a', type: 'number' as const, pattern: 'x' }] }
  await expect(call('memory_schema.register', broken)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    status: 422,
    fields: { field: 'fields[0].pattern' },
  })
})

onEveryTransport('memory_schema.propose', 'keeps a schema for an admin to look at', async (call) => {
  expect(await call('memory_schema.propose', schema())).toMatchObject({ status: 'proposed', created: true })
  await expect(call('memory.record.query', { schema: 'ticket' })).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
})

onEveryTransport('memory_schema.approve', 'makes a proposal rule', async (call) => {
  await call('memory_schema.propose', schema())
  expect(await call('memory_schema.approve', { schema: 'ticket', decision: 'approve' })).toMatchObject({ status: 'active', changed: true })
  expect(await call('memory.record.query', { schema: 'ticket' })).toMatchObject({ records: [] })
})

onEveryTransport('memory_schema.list', 'lists schemas and their records', async (call) => {
  await written(call)
  expect((await call('memory_schema.list', {})).schemas).toMatchObject([{ schema: 'ticket', version: 1, status: 'active', records: 1 }])
})

onEveryTransport('memory.record.write', 'writes one record under the key of its identity', async (call) => {
  await written(call)
  const fields = { number: 'inv 1', status: 'closed' }
  expect(await call('memory.record.write', { schema: 'ticket', fields })).toMatchObject({
    record_key,
    created: false,
    changed: ['number', 'status'],
  })
  await expect(call('memory.record.write', { schema: 'ticket', fields: { number: '1', amount: -1 } })).rejects.toMatchObject({
    code: 'SCHEMA_VIOLATION',
    status: 422,
    fields: { violations: [{ field: 'amount', rule: 'min_value' }] },
  })
  await expect(call('memory.record.write', { schema: 'ticket', fields: { number: '---' } })).rejects.toMatchObject({
    code: 'MISSING_IDENTITY_FIELD',
    status: 400,
  })
})

onEveryTransport('memory.record.get', 'reads it by its key or by what it is known by', async (call) => {
  await written(call)
  const found = await call('memory.record.get', { schema: 'ticket', record_key })
  expect(found).toMatchObject({ found: true, fields: { amount: { state: 'value', value: 99.5 } } })
  expect(await call('memory.record.get', { schema: 'ticket', fields: { number: 'Inv_1' } })).toEqual(found)
  expect(await call('memory.record.get', { schema: 'ticket', record_key: 'none' })).toEqual({ found: false })
})

onEveryTransport('memory.record.query', 'finds by predicate', async (call) => {
  await written(call)
  const asked = await call('memory.record.query', { schema: 'ticket', where: { status: 'open', amount: { gt: 10 } }, count: true })
  expect(asked).toMatchObject({ total: 1, records: [{ record_key, status: 'active' }], next_cursor: null })
})

onEveryTransport('memory.record.history', 'gives every version', async (call) => {
  await written(call)
  await call('memory.record.write', { schema: 'ticket', fields: { number: 'INV-1', status: 'closed' } })
  const { versions } = await call('memory.record.history', { schema: 'ticket', record_key })
  expect(versions.map((row) => row.status)).toEqual(['active', 'superseded'])
})

onEveryTransport('memory.record.conflicts', 'says what changed', async (call) => {
  await written(call)
  await call('memory.record.write', { schema: 'ticket', fields: { number: 'INV-1', status: 'closed' } })
  expect((await call('memory.record.conflicts', { schema: 'ticket' })).changes).toMatchObject([
    { field: 'status', from: { value: 'open' }, to: { value: 'closed' } },
  ])
})

onEveryTransport('memory.record.delete', 'leaves a tombstone', async (call) => {
  await written(call)
  expect(await call('memory.record.delete', { schema: 'ticket', record_key })).toMatchObject({ found: true, tombstoned: true })
  expect(await call('memory.record.get', { schema: 'ticket', record_key })).toEqual({ found: false })
})

onEveryTransport('memory.aggregate', 'sums in groups', async (call) => {
  await written(call)
  expect(await call('memory.aggregate', { schema: 'ticket', function: 'sum', field: 'amount', group_by: ['status'] })).toEqual({
    groups: [{ key: { status: 'open' }, value: 99.5, n: 1 }],
    total_groups: 1,
    truncated: false,
  })
})
