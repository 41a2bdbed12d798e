import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_MODELS, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN, AT, change, openServer, pairDevice, set, type Device } from '../../helpers/push.ts'

let now = Date.UTC(2026, 5, 1, 12)
const HOUR = 3_600_000
const ago = (hours: number): string => new Date(now - hours * HOUR).toISOString()

const SPACES = { flag: 'flag', newest: 'newest_wins', keep: 'keep_existing' } as const
type Space = keyof typeof SPACES

let server: TestEngine
let alice: Device
beforeAll(async () => {
  server = await openServer({ models: NO_MODELS, clock: () => now })
  for (const [namespace, default_conflict_policy] of Object.entries(SPACES))
    await server.call('namespace.register', { namespace, default_conflict_policy }, ADMIN)
  alice = await pairDevice(server, 'alice', { flag: 'admin', newest: 'admin', keep: 'admin' }, {}, () => now)
})
afterAll(() => server.close())

const at = (namespace: Space, memory_key: string) => ({ ...AT, namespace, memory_key })
const get = (namespace: Space, key: string) => server.call('memory.get', { ...at(namespace, key), follow: false }, ADMIN)
const history = async (namespace: Space, key: string) => (await server.call('memory.history', at(namespace, key), ADMIN)).rows
const pairs = async (namespace: Space, key: string) =>
  (
    await server.call(
      'conflicts.list',
      { ...AT, namespace, memory_key: key, agent: undefined, user_id: undefined, session_id: undefined },
      ADMIN,
    )
  ).pairs

const PLACES = [
  'library',
  'museum',
  'bakery',
  'pharmacy',
  'harbour',
  'stadium',
  'embassy',
  'laundry',
  'cinema',
  'aquarium',
  'chapel',
  'brewery',
]
const NAMES = new Map<string, string>()
/** A subject of its own for each key of a namespace: what one says never repeats or contradicts another. */
function opens(namespace: Space, key: string, hour: string): string {
  const name = `${namespace} ${key}`
  const taken = [...NAMES.keys()].filter((other) => other.startsWith(namespace)).length
  const place = NAMES.get(name) ?? PLACES[taken] ?? 'office'
  NAMES.set(name, place)
  return `The ${place} opens at ${hour}.`
}

/** A head that device and server know, and that the server then changed. Answers the version that the device has. */
async function movedOn(namespace: Space, key: string, then: 'value' | 'delete' = 'value'): Promise<bigint> {
  const { version } = await server.call('memory.set', { ...at(namespace, key), value: opens(namespace, key, 'nine') }, ADMIN)
  now += 10 * HOUR
  if (then === 'delete') await server.call('memory.delete', at(namespace, key), ADMIN)
  else await server.call('memory.set', { ...at(namespace, key), value: opens(namespace, key, 'eight') }, ADMIN)
  now += 10 * HOUR
  return version
}

/** What the device wrote on that version, `hours` ago: the server changed it 10 hours ago. */
const pushed = (namespace: Space, key: string, base_version: bigint, hours: number) => {
  const sent = set(key, opens(namespace, key, 'seven'), { base_version, recorded_at: ago(hours) })
  return alice.send({ ...sent, args: { ...sent.args, namespace } })
}

describe('a value on a head that moved on', () => {
  it('flag, newer: the value takes the head, and both stand until somebody settles them', async () => {
    const base = await movedOn('flag', 'a/newer')
    const result = await pushed('flag', 'a/newer', base, 5)
    expect(result).toMatchObject({ outcome: 'applied', conflict_verdict: 'conflict', status: 'conflicted' })
    expect(await get('flag', 'a/newer')).toMatchObject({
      value: opens('flag', 'a/newer', 'seven'),
      status: 'conflicted',
      updated_at: ago(5),
    })
    const [pair, ...rest] = await pairs('flag', 'a/newer')
    expect(rest).toEqual([])
    expect(pair).toMatchObject({ origin: 'sync', kind: 'conflict', state: 'open' })
    expect(pair?.row).toMatchObject({ value: opens('flag', 'a/newer', 'seven'), version: result.version })
    expect(pair?.peer).toMatchObject({ value: opens('flag', 'a/newer', 'eight'), memory_id: pair?.row.memory_id })
  })

  it('flag, older: the head stays and is flagged, the value is a lost version of it [VER007]', async () => {
    const base = await movedOn('flag', 'a/older')
    const head = await get('flag', 'a/older')
    const result = await pushed('flag', 'a/older', base, 15)
    expect(result).toMatchObject({
      outcome: 'lost',
      code: '',
      conflict_verdict: 'conflict',
      status: 'conflicted',
      memory_id: head.memory_id,
    })
    expect(result.row).toMatchObject({ value: JSON.stringify(opens('flag', 'a/older', 'eight')), status: 'conflicted' })
    const rows = await history('flag', 'a/older')
    expect(rows.map(({ lost, value, status }) => [lost, value, status])).toEqual([
      [false, opens('flag', 'a/older', 'eight'), 'conflicted'],
      [true, opens('flag', 'a/older', 'seven'), 'conflicted'],
      [false, opens('flag', 'a/older', 'eight'), 'active'],
      [false, opens('flag', 'a/older', 'nine'), 'active'],
    ])
    expect(rows[1]).toMatchObject({ version: result.version, actor: 'human:alice', updated_at: ago(15) })
    expect(rows.map(({ op }) => op)).toEqual(['sync', 'memory.set', 'memory.set', 'memory.set'])
    expect(rows[0]?.changed.sort()).toEqual(['conflict_verdict', 'status'])
    const { rows: audits } = await server.call('audit.list', { namespace: 'flag', memory_key: 'a/older' }, ADMIN)
    expect(audits.map(({ origin, version }) => [origin, version === result.version])).toEqual([
      ['push', true],
      ['local', false],
      ['local', false],
    ])
    const queue = await server.call('review.queue', { ...AT, namespace: 'flag', kinds: ['conflict'] }, ADMIN)
    const item = queue.items.find(({ row }) => row.memory_key === 'a/older')
    expect(item?.actions.map(({ action }) => action)).toEqual(['keep_row', 'keep_peer', 'merge'])
    const [pair] = await pairs('flag', 'a/older')
    expect(pair).toMatchObject({
      row: { value: opens('flag', 'a/older', 'eight') },
      peer: { value: opens('flag', 'a/older', 'seven'), version: result.version },
    })
  })

  it('newest_wins: the newer is the head, the older is superseded', async () => {
    const base = await movedOn('newest', 'a/newer')
    expect(await pushed('newest', 'a/newer', base, 5)).toMatchObject({ outcome: 'applied', status: 'active' })
    expect(await get('newest', 'a/newer')).toMatchObject({ value: opens('newest', 'a/newer', 'seven'), status: 'active' })
    const older = await movedOn('newest', 'a/older')
    expect(await pushed('newest', 'a/older', older, 15)).toMatchObject({ outcome: 'lost', status: 'superseded', code: '' })
    expect(await get('newest', 'a/older')).toMatchObject({ value: opens('newest', 'a/older', 'eight'), status: 'active' })
    expect((await history('newest', 'a/older'))[0]).toMatchObject({ lost: true, status: 'superseded' })
    expect(await pairs('newest', 'a/older')).toEqual([])
  })

  it.each([5, 15])('keep_existing, said %d hours ago: the head stays as it is, and a pair is opened', async (hours) => {
    const base = await movedOn('keep', `a/${hours}`)
    expect(await pushed('keep', `a/${hours}`, base, hours)).toMatchObject({ outcome: 'lost', status: 'conflicted', code: '' })
    expect(await get('keep', `a/${hours}`)).toMatchObject({ value: opens('keep', `a/${hours}`, 'eight'), status: 'active' })
    expect(await pairs('keep', `a/${hours}`)).toHaveLength(1)
  })

  it('a tie is older', async () => {
    const base = await movedOn('newest', 'a/tie')
    expect(await pushed('newest', 'a/tie', base, 10)).toMatchObject({ outcome: 'lost', status: 'superseded' })
  })

  it('that the device had not seen at all is diverged too; the same text goes on', async () => {
    await movedOn('newest', 'a/unseen')
    const sent = set('a/unseen', opens('newest', 'a/unseen', 'seven'), { recorded_at: ago(15) })
    expect(await alice.send({ ...sent, args: { ...sent.args, namespace: 'newest' } })).toMatchObject({
      outcome: 'lost',
      status: 'superseded',
    })
    const same = set('a/unseen', opens('newest', 'a/unseen', 'eight').toUpperCase(), { recorded_at: ago(15) })
    expect(await alice.send({ ...same, args: { ...same.args, namespace: 'newest' } })).toMatchObject({ outcome: 'applied' })
  })
})

describe('a value on a head that was deleted since', () => {
  it.each([
    ['flag', 5, 'applied', 'active'],
    ['newest', 5, 'applied', 'active'],
    ['keep', 5, 'lost', 'superseded'],
    ['flag', 15, 'lost', 'superseded'],
    ['newest', 15, 'lost', 'superseded'],
    ['keep', 15, 'lost', 'superseded'],
  ] as const)('%s, said %d hours ago, is %s', async (namespace, hours, outcome, status) => {
    const key = `gone/${hours}`
    const base = await movedOn(namespace, key, 'delete')
    const result = await pushed(namespace, key, base, hours)
    expect(result).toMatchObject({ outcome, status, code: outcome === 'lost' ? 'PRECONDITION_FAILED' : '' })
    expect((await get(namespace, key)).found).toBe(outcome === 'applied')
  })

  it('by memory.clear, which makes no version', async () => {
    const { version } = await server.call('memory.set', { ...at('flag', 'gone/cleared'), user_id: 'u1', value: 'Cleared later.' }, ADMIN)
    now += 10 * HOUR
    await server.call('memory.clear', { namespace: 'flag', agent: AT.agent, user_id: 'u1', confirm_subject: 'u1', reason: 'gone' }, ADMIN)
    now += 10 * HOUR
    const older = set('gone/cleared', 'Said before.', { base_version: version, recorded_at: ago(15) })
    const args = { ...older.args, namespace: 'flag', user_id: 'u1' }
    expect(await alice.send({ ...older, args })).toMatchObject({ outcome: 'lost', status: 'superseded' })
  })
})

describe('deletes and votes on a head that moved on', () => {
  const retire = (namespace: Space, op: string, key: string, base_version: bigint, hours: number) => {
    const sent = change(op, { memory_key: key, namespace }, { base_version, recorded_at: ago(hours) })
    return alice.send(sent)
  }

  it.each(['memory.delete', 'memory.reject'])('%s wins under newest_wins when it is newer, and nowhere else', async (op) => {
    for (const [namespace, hours, outcome] of [
      ['newest', 5, 'applied'],
      ['newest', 15, 'refused'],
      ['flag', 5, 'refused'],
      ['keep', 5, 'refused'],
    ] as const) {
      const key = `${op}/${hours}`
      const base = await movedOn(namespace, key)
      expect(await retire(namespace, op, key, base, hours), `${namespace} ${hours}`).toMatchObject({
        outcome,
        code: outcome === 'refused' ? 'PRECONDITION_FAILED' : '',
      })
      const row = await get(namespace, key)
      expect(row.found && row.status === 'active', `${namespace} ${hours}`).toBe(outcome === 'refused')
    }
  })

  it('nobody vouched for the text that stands now; what has no value runs on the head as it is', async () => {
    const base = await movedOn('newest', 'votes')
    expect(await retire('newest', 'memory.verify', 'votes', base, 5)).toMatchObject({ outcome: 'refused', code: 'PRECONDITION_FAILED' })
    expect(await get('newest', 'votes')).toMatchObject({ verified: false })
    const sent = change('memory.lock', { memory_key: 'votes', namespace: 'newest', reason: 'kept' }, { base_version: base })
    expect(await alice.send(sent)).toMatchObject({ outcome: 'applied' })
    expect(await get('newest', 'votes')).toMatchObject({ lock: { reason: 'kept', actor: 'human:alice' } })
  })
})
