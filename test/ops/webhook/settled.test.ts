import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf, OpName, OutputOf } from '../../../shared/contract/registry.ts'
import { testModels } from '../../helpers/models.ts'
import { ADMIN } from '../../helpers/push.ts'
import { NAME, openTeam, queued, type Team } from '../../helpers/webhooks.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'
const TEXT = 'The archive is rebuilt every night.'
const DAY_S = 86_400

let team: Team
let spaces = 0
beforeAll(async () => {
  // Entries of a bulk write are not judged: the conflict resolver finds what they say against each other.
  team = await openTeam({}, { models: await testModels(), config: { bulkConflictChecks: 0 } })
})
afterAll(() => team.close())

/** A namespace of its own with one webhook. */
async function space(settings: Partial<CallInputOf<'namespace.register'>> = {}) {
  const namespace = `n${++spaces}`
  const call = <N extends OpName>(op: N, input: CallInputOf<N>): Promise<OutputOf<N>> =>
    team.loom.call(op, input, { ...ADMIN, fills: { namespace, agent: 'scribe' } })
  await call('namespace.register', settings)
  await call('webhook.register', { url: team.url(`/${namespace}`), secret_ref: NAME })
  const clear = async (): Promise<void> => {
    team.clock.now += 1000
    await team.loom.database.reader.deleteFrom('memory_webhook_outbox').where('namespace', '=', namespace).execute()
  }
  const set = (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
    call('memory.set', { memory_key, value, ...more })
  const events = async () => (await queued(team)).filter(({ body }) => body.includes(`"namespace":"${namespace}"`))
  const told = async (): Promise<string[]> => (await events()).map(({ type, memory_key }) => `${type} ${memory_key}`)
  return { namespace, call, clear, set, events, told }
}

async function contradiction() {
  const at = await space()
  await at.set('deploy/window/prod', HELD)
  await at.set('ops/deploys', AGAINST, { tags: ['deploy'], entities: ['production'], confidence: 0.8 })
  return at
}

describe('conflicts', () => {
  it('a contested write is told by itself alone, and its status is not [WHK062]', async () => {
    const { told, call } = await contradiction()
    expect((await call('memory.get', { memory_key: 'ops/deploys' })).status).toBe('conflicted')
    expect(await told()).toEqual(['memory.written deploy/window/prod', 'memory.written ops/deploys'])
  })

  it('of a settled pair the side that is tombstoned is told, not the status of the one kept; reopening restores it [WHK025, WHK059]', async () => {
    const { told, call, clear } = await contradiction()
    await clear()
    await call('conflicts.resolve', { memory_key: 'ops/deploys', resolution: 'keep_row' })
    expect((await call('memory.get', { memory_key: 'ops/deploys' })).status).toBe('active')
    expect(await told()).toEqual(['memory.tombstoned deploy/window/prod'])
    await clear()
    await call('conflicts.resolve', { memory_key: 'ops/deploys', resolution: 'reopen' })
    expect((await call('memory.get', { memory_key: 'ops/deploys' })).status).toBe('conflicted')
    expect(await told()).toEqual(['memory.restored deploy/window/prod'])
  })

  it('a merged value is told as revised, and so is taking it back', async () => {
    const { told, call, clear } = await contradiction()
    await clear()
    await call('conflicts.resolve', { memory_key: 'ops/deploys', resolution: 'merge', value: 'Production deploys run on Tuesday.' })
    expect((await told()).toSorted()).toEqual(['memory.revised deploy/window/prod', 'memory.tombstoned ops/deploys'])
    await clear()
    await call('conflicts.resolve', { memory_key: 'ops/deploys', resolution: 'reopen' })
    expect((await told()).toSorted()).toEqual(['memory.restored ops/deploys', 'memory.revised deploy/window/prod'])
  })

  it('of a duplicate that is settled the side that is tombstoned is told [WHK025, WHK059]', async () => {
    const { told, call, clear, set } = await space()
    await set('fact/0', TEXT, { run_id: 'r0' })
    for (const n of [1, 2]) expect((await set(`fact/${n}`, TEXT, { run_id: `r${n}` })).status).toBe('duplicate')
    await clear()
    await call('memory.dedup_resolve', { memory_key: 'fact/1', keep: 'duplicate' })
    expect(await call('memory.get', { memory_key: 'fact/2' })).toMatchObject({ canonical_key: 'fact/1' })
    expect(await told()).toEqual(['memory.tombstoned fact/0'])
  })

  it('what a write retires under newest_wins is not told, nor its restoration; the write is [WHK060, WHK063]', async () => {
    const { told, call, clear, set } = await space({ default_conflict_policy: 'newest_wins' })
    await set('deploy/window/prod', HELD)
    await clear()
    await set('ops/deploys', AGAINST)
    const { rows } = await call('memory.history', { memory_key: 'deploy/window/prod' })
    expect(rows[0]?.status).toBe('superseded')
    expect(await told()).toEqual(['memory.written ops/deploys'])
    await clear()
    await call('memory.restore', { memory_key: 'deploy/window/prod' })
    expect((await call('memory.get', { memory_key: 'deploy/window/prod' })).found).toBe(true)
    expect(await told()).toEqual([])
  })
})

describe('background passes', () => {
  it('an expiry is told by what it does, with the pass as actor and no request [WHK020, WHK029, WHK071, WHK072]', async () => {
    const { told, clear, set, events } = await space()
    await set('e/demote', 'A row to demote.', { ttl_seconds: 60, on_expire: 'demote' })
    await set('e/anon', 'Bob lives in Graz.', { ttl_seconds: 60, on_expire: 'anonymize' })
    await set('e/dead', 'A row to bury.', { ttl_seconds: 60, on_expire: 'tombstone' })
    await clear()
    await team.pass(120)
    expect((await told()).toSorted()).toEqual(['memory.revised e/anon', 'memory.revised e/demote', 'memory.tombstoned e/dead'])
    for (const { body } of await events()) expect(JSON.parse(body)).toMatchObject({ actor: 'worker:expiry', request_id: '' })
  })

  it('a label of the sensitivity sweep is told as revised [WHK022, WHK071]', async () => {
    const { told, call, clear, set, events } = await space({ sensitivity_autodetect: false })
    await set('mail', 'Ada answers at ada@example.org on weekdays.')
    await call('namespace.register', { sensitivity_autodetect: true })
    await clear()
    await team.pass(DAY_S + 60)
    await team.pass(DAY_S + 60)
    expect(await told()).toEqual(['memory.revised mail'])
    expect(JSON.parse((await events())[0]?.body ?? '{}')).toMatchObject({ actor: 'worker:sensitivity' })
  })

  it.each([
    ['flag', 'ops/deploys', 'conflicted'],
    ['newest_wins', 'deploy/window/prod', 'superseded'],
  ] as const)(
    'under %s, what the conflict resolver does to a row later is not told, be it done or taken back [WHK061]',
    async (policy, key, status) => {
      const { told, clear, call } = await space({ default_conflict_policy: policy })
      const [first, second] = [
        { memory_key: 'deploy/window/prod', value: HELD },
        { memory_key: 'ops/deploys', value: AGAINST },
      ]
      await call('memory.bulk_set', { entries: [first] })
      await call('memory.bulk_set', { entries: [second] })
      expect(await told()).toEqual(['memory.written deploy/window/prod', 'memory.written ops/deploys'])
      await clear()
      await team.pass(3600)
      expect((await call('memory.history', { memory_key: key })).rows[0]).toMatchObject({ status, op: 'worker:conflict_resolver' })
      expect(await told()).toEqual([])
      if (policy !== 'flag') return
      await call('memory.delete', { memory_key: 'deploy/window/prod' })
      await clear()
      await team.pass(3600)
      expect(await call('memory.get', { memory_key: key })).toMatchObject({ status: 'active' })
      expect(await told()).toEqual([])
    },
  )

  it('entities that are looked for later, and vectors, are not told [WHK064]', async () => {
    const { told, clear, set, call } = await space()
    await set('who', 'Marie Curie moved from Warsaw to Paris.')
    await clear()
    await team.pass(3600)
    expect((await call('memory.get', { memory_key: 'who' })).entities).not.toEqual([])
    expect(await told()).toEqual([])
  })
})

describe('summaries and profiles', () => {
  /** Says that the standing version of a key was built from a row. */
  async function builtFrom({ memory_id, version }: { memory_id: string; version: bigint }, sourceId: string): Promise<void> {
    const row = { org: 'acme', memory_id, version, source_id: sourceId }
    await team.loom.database.reader.insertInto('memory_summary').values(row).execute()
  }

  it('a summary that goes with its source is not told, by whatever road that is deleted [WHK044]', async () => {
    const { told, call, clear, set } = await space()
    for (const road of ['memory.delete', 'worker:expiry', 'memory.clear'] as const) {
      const { memory_id } = await set(`${road}/source`, `What ${road} takes away.`, {
        ...(road === 'worker:expiry' && { ttl_seconds: 60 }),
        user_id: 'u1',
      })
      await builtFrom(await set(`${road}/summary`, `In short, ${road} took a thing.`), memory_id)
      await clear()
      if (road === 'memory.delete') await call(road, { memory_key: `${road}/source`, user_id: 'u1' })
      else if (road === 'memory.clear') await call(road, { user_id: 'u1', confirm_subject: 'u1' })
      else await team.pass(120)
      expect(await call('memory.history', { memory_key: `${road}/summary` })).toMatchObject({ rows: [{ status: 'superseded' }, {}] })
      expect(await told()).toEqual([`memory.tombstoned ${road}/source`])
    }
  })

  it('a redaction is told once for each profile key too, with its newest scrubbed version, be it the head [WHK032, WHK141]', async () => {
    const { call, clear, set, events } = await space()
    const source = await set('likes', 'Ada likes XYZZY-7351.')
    const first = await set('profile/ada', 'XYZZY-7351 and tea', { memory_type: 'profile' })
    await builtFrom(first, source.memory_id)
    const second = await set('profile/bob', 'Ada, who likes XYZZY-7351', { memory_type: 'profile' })
    await builtFrom(second, source.memory_id)
    await set('profile/ada', 'tea', { memory_type: 'profile' })
    await set('likes', 'Ada likes tea.')
    await clear()
    await call('memory.redact', { memory_key: 'likes', version: source.version, reason: 'x' })
    const seen = (await events()).map(({ type, memory_key, version }) => [type, memory_key, version])
    expect(seen.toSorted((a, b) => String(a[1]).localeCompare(String(b[1])))).toEqual([
      ['memory.redacted', 'likes', source.version],
      ['memory.redacted', 'profile/ada', first.version],
      ['memory.redacted', 'profile/bob', second.version],
    ])
    expect((await call('memory.get', { memory_key: 'profile/bob' })).version).toBe(second.version)
  })
})
