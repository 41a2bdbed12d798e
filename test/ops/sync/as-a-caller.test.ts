import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REGISTRY, type OpName } from '../../../shared/contract/registry.ts'
import type { OpContract } from '../../../shared/contract/declare.ts'
import { NO_MODELS, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN, AT, change, openServer, pairDevice, set, type Device } from '../../helpers/push.ts'

let server: TestEngine
let alice: Device
beforeAll(async () => {
  server = await openServer({ models: NO_MODELS })
  alice = await pairDevice(server, 'alice', { chat: 'admin', kitchen: 'writer' })
  await server.call('namespace.register', { namespace: 'chat' }, ADMIN)
  await server.call('namespace.register_category', { namespace: 'chat', category: 'Food', description: 'What people eat.' }, ADMIN)
})
afterAll(() => server.close())

const get = (memory_key: string) => server.call('memory.get', { ...AT, memory_key, follow: false }, ADMIN)

const OF_MANY: Readonly<Record<string, Record<string, unknown>>> = {
  'memory.clear': { confirm_subject: 'scribe', reason: 'x' },
  'memory.bulk_set': { entries: [{ memory_key: 'k', value: 'v' }] },
  'memory.apply': { memory_keys: ['k'], action: 'delete', reason: 'x' },
  'memory.outcome_run': { run_id: 'r', outcome: 'positive' },
  'memory.copy_to': { to_namespace: 'kitchen', keys: ['k'] },
  'memory.set_from_messages': { messages: [{ role: 'user', content: 'Tea at four.' }] },
}
/** Operations of many rows: a device splits them. */
const SPLIT = new Set<OpName>([
  'blacklist.sweep',
  'memory.apply',
  'memory.bulk_set',
  'memory.clear',
  'memory.import',
  'memory.import_curated',
  'memory.outcome_run',
  'memory.copy_to',
  'memory.set_from_messages',
])

describe('every operation that a desktop replays', () => {
  it('runs as any caller runs it', async () => {
    await alice.push([
      set('tea', 'Prefers green tea.'),
      set('cup', 'The cup is blue.'),
      set('gone', 'Soon gone.'),
      set('bad', 'Not true.'),
      set('moved', 'On its way.'),
      change('memory.set', { memory_key: 'maybe', value: 'The lid fits.', proposed: true }),
    ])
    const { version } = await get('cup')
    await server.call('memory.set', { ...AT, memory_key: 'cup', value: 'The mug is red.' }, ADMIN)
    const sent: Readonly<Partial<Record<OpName, Record<string, unknown>>>> = {
      'memory.set': { memory_key: 'pot', value: 'The pot is new.' },
      'memory.update': { memory_key: 'tea', tags: ['drink'] },
      'memory.update_by_id': { memory_id: (await get('tea')).memory_id, confidence: 0.5 },
      'memory.touch': { memory_key: 'tea', ttl_seconds: 9000 },
      'memory.link': { memory_key: 'tea', to_key: 'cup', relation: 'see_also' },
      'memory.assign_category': { memory_key: 'tea', category: 'food' },
      'memory.outcome': { memory_key: 'tea', outcome: 'positive' },
      'memory.verify': { memory_key: 'pot' },
      'memory.lock': { memory_key: 'tea', reason: 'kept' },
      'memory.unlock': { memory_key: 'tea' },
      'memory.pin': { memory_key: 'pot', value: 'The pot is new.' },
      'memory.unpin': { memory_key: 'pot' },
      'memory.redact': { memory_key: 'cup', version, reason: 'private' },
      'memory.delete': { memory_key: 'gone' },
      'memory.restore': { memory_key: 'gone' },
      'memory.reject': { memory_key: 'bad' },
      'memory.move': { memory_key: 'moved', to_key: 'arrived' },
      'memory.delete_version': { memory_key: 'arrived', version: 0n },
      'memory.promote': { memory_key: 'pot' },
      'memory.demote': { memory_key: 'pot' },
      'memory.cross_promote': { memory_key: 'pot', to_namespace: 'kitchen' },
      'memory.proposal_decide': { memory_key: 'maybe', decision: 'accept' },
      'blacklist.add': { pattern: 'never this' },
    }
    for (const [op, args] of Object.entries(sent)) {
      const base = typeof args['memory_key'] === 'string' ? (await get(args['memory_key'])).version : undefined
      const more = base === undefined ? {} : { base_version: base }
      const at = op === 'memory.delete_version' ? { ...args, version: base } : args
      const result = await alice.send(change(op, at, more))
      expect(result, op).toMatchObject({ outcome: op === 'memory.pin' ? 'noop' : 'applied', code: '' })
    }
    expect(await get('tea')).toMatchObject({
      tags: ['drink'],
      confidence: 0.5,
      categories: ['Food'],
      acted_count: 1,
      lock: null,
      actor: 'human:alice',
    })
    expect(await get('gone')).toMatchObject({ found: true, status: 'active' })
    expect(await get('moved')).toMatchObject({ status: 'redirect', canonical_key: 'arrived' })
    const { patterns } = await server.call('blacklist.list', { namespace: 'chat' }, ADMIN)
    expect(await alice.send(change('blacklist.remove', { blacklist_id: patterns[0]?.blacklist_id }))).toMatchObject({
      outcome: 'applied',
      row: null,
    })
    const untried = (Object.entries(REGISTRY) as [OpName, OpContract][]).filter(
      ([op, { sync, group }]) =>
        sync === 'replay' && (group === 'memory' || group === 'review') && !(op in sent) && !SPLIT.has(op) && !PAIRS.has(op),
    )
    expect(untried.map(([op]) => op)).toEqual(['blacklist.remove'])
  })

  it('links to a row of another agent too', async () => {
    await server.call('memory.set', { ...AT, agent: 'other', memory_key: 'link/to', value: 'The cellar is dry.' }, ADMIN)
    await alice.send(set('link/from', 'Wine is stored in the cellar.'))
    expect(await alice.send(change('memory.link', { memory_key: 'link/from', to_key: 'link/to' }))).toMatchObject({ outcome: 'applied' })
  })

  it('of many rows is asked for row by row', async () => {
    for (const op of SPLIT) {
      expect(await alice.send(change(op, OF_MANY[op] ?? {})), op).toMatchObject({ outcome: 'quarantined', code: 'INVALID_ARGUMENT' })
    }
    expect(await alice.send(change('memory.touch', { memory_keys: ['a', 'b'], ttl_seconds: 60 }))).toMatchObject({ outcome: 'quarantined' })
    expect(await alice.send(change('blacklist.add', { pattern: 'sweeping', sweep: true }))).toMatchObject({ outcome: 'quarantined' })
  })
})

/** Settled in settle-versions.test.ts. */
const PAIRS = new Set<OpName>(['conflicts.resolve', 'memory.dedup_resolve', 'review.dismiss'])

describe('an operation that was split', () => {
  it('follows the rules of the one called: a bulk write only reinforces what is stored, a clear keeps the version', async () => {
    const first = await alice.send(
      change('memory.set', { memory_key: 'via/bulk', value: 'Bulky.', tags: ['a'] }, { via: 'memory.bulk_set' }),
    )
    const again = change(
      'memory.set',
      { memory_key: 'via/bulk', value: 'Bulky.', tags: ['b'] },
      { via: 'memory.bulk_set', base_version: first.version },
    )
    expect(await alice.send(again)).toMatchObject({ outcome: 'noop' })
    expect((await server.call('memory.history', { ...AT, memory_key: 'via/bulk' }, ADMIN)).rows.map(({ op }) => op)).toEqual([
      'memory.bulk_set',
    ])
    const cleared = change('memory.delete', { memory_key: 'via/bulk' }, { via: 'memory.clear', base_version: first.version })
    expect(await alice.send(cleared)).toMatchObject({ outcome: 'applied', version: first.version, row: { status: 'tombstoned' } })
  })
})

describe('an operation that builds its key and value', () => {
  it('has them weighed as memory.set has', async () => {
    const args = { title: 'Queue', decision: 'We use a queue of Postgres.' }
    const first = await alice.send(change('decision.record', args))
    expect(first).toMatchObject({ outcome: 'applied', row: { memory_key: 'decision/queue' } })
    await server.call('memory.lock', { ...AT, memory_key: 'decision/queue', reason: 'decided' }, ADMIN)
    const second = change('decision.record', { ...args, decision: 'We use Kafka.' }, { base_version: first.version })
    expect(await alice.send(second)).toMatchObject({ outcome: 'lost', code: 'LOCKED', status: 'rejected', memory_id: first.memory_id })
    const { rows } = await server.call('memory.history', { ...AT, memory_key: 'decision/queue' }, ADMIN)
    expect(rows.map(({ lost, value }) => [lost, (value as { decision: string }).decision])).toEqual([
      [true, 'We use Kafka.'],
      [false, 'We use a queue of Postgres.'],
    ])
  })
})

describe('the class of a source', () => {
  it("is the token's, or the lower one that the row had on its device", async () => {
    const classes = [
      ['user', 'user'],
      ['agent', 'agent'],
      ['imported', 'imported'],
      ['nonsense', 'user'],
    ] as const
    for (const [source_class, stored] of classes) {
      await alice.send(set(`class/${source_class}`, `Source of ${source_class}.`, { source_class }))
      expect(await get(`class/${source_class}`), source_class).toMatchObject({ source_class: stored, actor: 'human:alice' })
    }
    const bot = await pairDevice(server, 'bot', { chat: 'writer' }, { kind: 'process' })
    await bot.send(set('class/bot', 'Source of a bot.', { source_class: 'user' }))
    expect(await get('class/bot')).toMatchObject({ source_class: 'agent', actor: 'process:bot' })
  })
})
