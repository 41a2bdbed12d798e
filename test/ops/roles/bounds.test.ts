import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringifyJson } from '../../../shared/contract/json.ts'
import type { OpContract } from '../../../shared/contract/declare.ts'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { REGISTRY } from '../../../shared/contract/registry.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { CALLS } from './matrix.ts'

/** What nobody but its owner may be shown, in a value, an excerpt or a reason. */
const SENTINEL = 'Quetzalcoatl'
const ROW = { namespace: 'chat', agent: 'a' } as const
const BOUNDS = [
  ['one user', { user_id: 'mine' }, { user_id: 'theirs' }],
  ['its own session', { own_session: true, session_id: 'mine' }, { session_id: 'theirs' }],
] as const

const holder = (more: Partial<Claims>): Claims => ({ ...localClaims('human', 'ada'), org: 'acme', grants: { chat: 'admin' }, ...more })

interface Theirs {
  readonly ids: readonly string[]
  readonly pairs: readonly string[]
  readonly version: bigint
}

describe.each(BOUNDS)('a token bound to %s', (_name, bound, place) => {
  let loom: TestEngine
  let theirs: Theirs
  const mine = holder(bound)
  const all = holder({})
  beforeAll(async () => {
    loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS })
    const set = async (memory_key: string, value: string, more = {}) =>
      loom.call(
        'memory.set',
        { ...ROW, ...place, memory_key, value, tags: ['theirs-tag'], entities: ['theirs-entity'], files: ['src/theirs.ts'], ...more },
        { claims: all },
      )
    const first = await set('theirs/a', `The ${SENTINEL} office opens at eight.`)
    const second = await set('theirs/b', `The ${SENTINEL} office opens at nine.`)
    const retired = await set('theirs/c', `The ${SENTINEL} stairs are green.`)
    await loom.call('memory.delete', { ...ROW, ...place, memory_key: 'theirs/c' }, { claims: all })
    await loom.call('namespace.register_category', { namespace: 'chat', category: 'Rooms' }, { claims: all })
    await loom.call('memory.assign_category', { namespace: 'chat', memory_key: 'theirs/a', category: 'Rooms' }, { claims: all })
    await loom.call('memory.link', { ...ROW, ...place, memory_key: 'theirs/a', to_key: 'theirs/b' }, { claims: all })
    const { pairs } = await loom.call('conflicts.list', { namespace: 'chat' }, { claims: all })
    theirs = {
      ids: [first, second, retired].map((one) => one.memory_id),
      pairs: pairs.map((pair) => pair.pair_id),
      version: first.version,
    }
    expect(theirs.pairs.length).toBeGreaterThan(0)
  })
  afterAll(() => loom.close())

  /** Calls of an operation that aim at the others' rows, by key, by id and by pair. */
  function aimed(contract: OpContract): Record<string, unknown>[] {
    const { shape } = contract.input
    const base: Record<string, unknown> = {
      ...('namespace' in shape && { namespace: 'chat' }),
      ...('agent' in shape && { agent: 'a' }),
      ...CALLS[contract.name],
    }
    const at: Record<string, unknown> = {
      memory_key: 'theirs/a',
      version: theirs.version,
      key: 'theirs/a',
      keys: ['theirs/a', 'theirs/b'],
      memory_keys: ['theirs/a', 'theirs/b'],
      path: 'src/theirs.ts',
      query: `${SENTINEL} office opens`,
      text: SENTINEL,
      to_key: 'theirs/b',
      item_id: theirs.pairs[0],
      pair_id: theirs.pairs[0],
      memory_id: theirs.ids[0],
    }
    const known = Object.fromEntries(Object.entries(at).filter(([field]) => Object.hasOwn(base, field)))
    const variants: Record<string, unknown>[] = [base, { ...base, ...known }]
    if ('memory_id' in shape && !('memory_id' in base)) {
      const { memory_key: _key, ...rest } = base
      for (const memory_id of theirs.ids) variants.push({ ...rest, memory_id })
    }
    if ('pair_id' in base) variants.push(...theirs.pairs.map((pair_id) => ({ ...base, pair_id })))
    if ('text' in shape) variants.push({ ...base, text: SENTINEL })
    if ('include_retired' in shape) variants.push({ ...base, include_retired: true })
    return variants
  }

  const run = (op: string, input: Record<string, unknown>): Promise<string> =>
    loom.engine.run(op, input, testCaller(mine, { local: false })).then(
      (answer) => stringifyJson(answer),
      (error: { code?: string; message: string; fields: object }) => {
        if (error.code === undefined || error.code === 'INTERNAL') throw new Error(`${op}: ${error.message}`)
        return stringifyJson([error.message, error.fields])
      },
    )
  const heads = () =>
    loom.database.reader.selectFrom('memory').selectAll().where('memory_key', 'like', 'theirs/%').orderBy('memory_key').execute()

  const ops = Object.values<OpContract>(REGISTRY).filter(
    (contract) => contract.host !== 'desktop' && contract.bound !== 'none' && contract.name !== 'sync.push',
  )

  it.each(ops.filter((contract) => contract.kind === 'read'))('[API031] $name shows nothing of others’ rows', async (contract) => {
    for (const input of aimed(contract)) {
      const shown = await run(contract.name, input)
      for (const trace of [SENTINEL, 'theirs-tag', 'theirs-entity', ...theirs.ids]) {
        // What the call itself says may come back.
        if (!stringifyJson(input).includes(trace)) expect([input, shown]).toEqual([input, expect.not.stringContaining(trace)])
      }
    }
  })

  it('[API031] counts its own rows alone', async () => {
    await loom.call('memory.set', { ...ROW, memory_key: 'own', value: 'The lamp is brass.' }, { claims: mine })
    const info = await loom.call('engine.info', {}, { claims: mine })
    expect(info.counts).toMatchObject({ memories: 1, versions: 1 })
    expect((await loom.call('namespace.list', {}, { claims: mine })).namespaces).toMatchObject([
      { namespace: 'chat', rows: 1, open_conflicts: 0 },
    ])
    expect(await loom.call('memory.list', { namespace: 'chat', with_total: true }, { claims: mine })).toMatchObject({ total: 1 })
    expect((await loom.call('review.queue', { namespace: 'chat' }, { claims: mine })).items).toEqual([])
    const keys = async (claims: Claims) =>
      (await loom.call('namespace.get', { namespace: 'chat' }, { claims })).categories.map((one) => one.keys)
    expect([await keys(mine), await keys(all)]).toEqual([[0], [1]])
    await loom.call('namespace.snapshot', { namespace: 'chat' }, { claims: all })
    const { snapshots } = await loom.call('namespace.snapshots', { namespace: 'chat' }, { claims: mine })
    expect(snapshots).toMatchObject([{ counts: { by_status: {} } }])
    expect(snapshots[0]?.counts.by_status).toEqual({})
    expect((await loom.call('namespace.list', {}, { claims: all })).namespaces[0]?.open_conflicts).toBeGreaterThan(0)
  })

  it.each(ops.filter((contract) => contract.kind === 'write'))('[API031] $name changes nothing of others', async (contract) => {
    const before = await heads()
    for (const input of aimed(contract)) await run(contract.name, input)
    expect(await heads()).toEqual(before)
  })
})
