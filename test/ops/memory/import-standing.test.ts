import { createHash } from 'node:crypto'
import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf, OutputOf } from '../../../shared/contract/registry.ts'
import { localClaims, type Caller } from '../../../shared/engine/caller.ts'
import type { Models } from '../../../shared/engine/ports.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { testModels } from '../../helpers/models.ts'

const DAY = 86_400_000
const TEA = 'Ada prefers green tea in the morning.'
const DEPLOYS = 'Production deploys run Tuesday and Thursday only; never Friday.'
const OTHER = 'Ada prefers strong coffee at noon.'

let loom: TestEngine
let now = Date.parse('2026-03-02T10:00:00Z')
let spaces = 0
/** Runs once, when the next text is embedded: between what an import reads and what it writes. */
let meanwhile: (() => Promise<unknown>) | null = null
const logged: string[] = []

beforeAll(async () => {
  const real = await testModels()
  const { embedder } = real
  if (!embedder) throw new Error('no embedder')
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const work = meanwhile
    meanwhile = null
    await work?.()
    return embedder.embed(texts)
  }
  // Kept as they are but for the moment at which they are asked.
  const models: Models = Object.create(real, { embedder: { value: Object.create(embedder, { embed: { value: embed } }) } })
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (logged.push(chunk.toString()), done()) })
  loom = await openTestEngine({ clock: () => now, models, log: pino({ level: 'warn' }, sink) })
})
afterAll(() => loom.close())

const keyOf = (text: string): string => `import:${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
const key = keyOf(TEA)

/** A namespace of its own for each test. */
function space() {
  const namespace = `s${++spaces}`
  const take = (texts: readonly string[], more: Partial<CallInputOf<'memory.import'>> = {}, caller: Partial<Caller> = {}) =>
    loom.call('memory.import', { namespace, entries: texts.map((text) => ({ text })), ...more }, caller)
  return {
    namespace,
    take,
    /** What the import of the one text answers. */
    again: async (caller: Partial<Caller> = {}) => told(await take([TEA], {}, caller)),
    set: (value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
      loom.call('memory.set', { namespace, memory_key: key, value, ...more }),
    get: (memory_key = key, session_id = '-') => loom.call('memory.get', { namespace, memory_key, session_id, follow: false }),
  }
}

const putStatus = (namespace: string, status: string) =>
  loom.database.transaction((tx) => sql`UPDATE loom.memory SET status = ${status} WHERE namespace = ${namespace}`.execute(tx))

function told({ results }: OutputOf<'memory.import'>): string {
  const [result] = results
  return `${result?.outcome} ${result?.reason}`.trim()
}

describe('a key that was taken out of use stays so', () => {
  it('when it was deleted, cleared or has expired [IMP028, IMP036]', async () => {
    const deleted = space()
    await deleted.take([TEA])
    await loom.call('memory.delete', { namespace: deleted.namespace, memory_key: key })
    expect(await deleted.again()).toBe('skipped deleted')
    expect(await deleted.get()).toMatchObject({ found: false })

    const cleared = space()
    await cleared.take([TEA])
    await loom.call('memory.clear', { namespace: cleared.namespace, agent: 'default', confirm_subject: 'default' })
    expect(await cleared.again()).toBe('skipped deleted')

    const expired = space()
    await expired.set(TEA, { ttl_seconds: 60 })
    expect(await expired.again()).toBe('skipped unchanged')
    now += 61_000
    expect(await expired.again()).toBe('skipped deleted')
    await loom.engine.runDueJobs()
    expect(await expired.again()).toBe('skipped deleted')
  })

  it('until memory.restore brings it back [IMP037]', async () => {
    const { namespace, take, again } = space()
    await take([TEA])
    await loom.call('memory.delete', { namespace, memory_key: key })
    now += 13 * DAY
    await loom.call('memory.restore', { namespace, memory_key: key })
    expect(await again()).toBe('skipped unchanged')
  })

  it('when it was retired, rejected or is on trial [IMP028, IMP029]', async () => {
    const retired = space()
    await loom.call('namespace.register', { namespace: retired.namespace, default_conflict_policy: 'newest_wins' })
    await retired.take([DEPLOYS])
    await loom.call('memory.set', {
      namespace: retired.namespace,
      memory_key: 'deploy/window',
      value: 'Production deploys run Monday to Thursday.',
    })
    expect(told(await retired.take([DEPLOYS]))).toBe('skipped superseded')

    const rejected = space()
    await rejected.take([TEA])
    await loom.call('memory.reject', { namespace: rejected.namespace, memory_key: key })
    expect(await rejected.again()).toBe('skipped rejected')

    const proposed = space()
    await proposed.take([TEA])
    await putStatus(proposed.namespace, 'proposed')
    expect(await proposed.again()).toBe('skipped proposed')
  })

  it('when an erasure left its row, until that is gone too', async () => {
    const { namespace, take, again, set } = space()
    await take([TEA])
    await loom.database.transaction((tx) => sql`UPDATE loom.memory SET erased_by = 'saga' WHERE namespace = ${namespace}`.execute(tx))
    expect(await again()).toBe('skipped deleted')
    now += 1000
    await set(OTHER)
    expect(await again()).toBe('skipped revised')
    await loom.database.transaction((tx) => sql`DELETE FROM loom.memory WHERE namespace = ${namespace}`.execute(tx))
    expect(await again()).toBe('written')
  })

  it('when its status is one that nobody knows, which is logged [IMP032]', async () => {
    const { namespace, take, again } = space()
    await take([TEA])
    await putStatus(namespace, 'frozen')
    logged.length = 0
    expect(await again()).toBe('skipped unknown')
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ op: 'memory.import', status: 'frozen' }])
  })

  it('when it holds another text, which locks and pins do not hide [IMP030, IMP031]', async () => {
    const set = space()
    await set.take([TEA])
    await set.set(OTHER)
    expect(await set.again()).toBe('skipped revised')
    await loom.call('memory.lock', { namespace: set.namespace, memory_key: key, reason: 'kept' })
    expect(await set.again()).toBe('skipped revised')

    const byId = space()
    await byId.take([TEA])
    await loom.call('memory.update_by_id', { memory_id: (await byId.get()).memory_id ?? '', value: OTHER })
    expect(await byId.again()).toBe('skipped revised')

    const pinned = space()
    await pinned.take([TEA])
    await loom.call('memory.pin', { namespace: pinned.namespace, memory_key: key, value: OTHER })
    expect(await pinned.again()).toBe('skipped revised')

    const nameless = space()
    await nameless.set(TEA, { ttl_seconds: 60, on_expire: 'anonymize' })
    now += 61_000
    expect(await nameless.again()).toBe('skipped revised')
    await loom.engine.runDueJobs()
    expect(await nameless.again()).toBe('skipped revised')
    expect(await nameless.get()).toMatchObject({ value: '[anonymized]' })
  })

  it('when it was moved, as the row it leads to says', async () => {
    const { namespace, take, again, get } = space()
    await take([TEA])
    await loom.call('memory.move', { namespace, memory_key: key, to_key: 'ada/drink', keep_redirect: true })
    expect(await again()).toBe('skipped unchanged')
    await loom.call('memory.update', { namespace, memory_key: 'ada/drink', value: OTHER })
    expect(await again()).toBe('skipped revised')
    await loom.call('memory.delete', { namespace, memory_key: 'ada/drink' })
    expect(await again()).toBe('skipped deleted')
    expect(await get()).toMatchObject({ status: 'redirect' })
  })

  it('under its own key alone: the same text that was deleted elsewhere is imported [IMP034, IMP035]', async () => {
    const { namespace, again } = space()
    await loom.call('memory.set', { namespace, memory_key: 'ada/drink', value: TEA })
    expect(await again()).toBe('held identity_duplicate')
    await loom.call('memory.delete', { namespace, memory_key: 'ada/drink' })
    expect(await again()).toBe('written')
  })
})

describe('what is read of a key', () => {
  const bound = (session_id: string): Partial<Caller> => ({ claims: { ...localClaims('human', 'local'), own_session: true, session_id } })

  it('is its newest version in every session that the token may read [IMP013, IMP025, IMP026, IMP027]', async () => {
    const { namespace, set, again, get } = space()
    await set(TEA, { session_id: 'one' })
    expect(await again()).toBe('skipped unchanged')
    expect(await again(bound('one'))).toBe('skipped unchanged')
    now += 1000
    await loom.call('memory.delete', { namespace, memory_key: key, session_id: 'one' })
    expect(await again()).toBe('skipped deleted')
    expect(await again(bound('two'))).toBe('written')
    expect(await get(key, 'two')).toMatchObject({ found: true, value: TEA })
    // The newest of the two sessions is now the other's.
    expect(await again()).toBe('skipped unchanged')
    expect(await again(bound('one'))).toBe('skipped deleted')
  })

  it('is not held until the write: what is deleted in between is written over [IMP033]', async () => {
    const { namespace, set, take, get } = space()
    meanwhile = async () => {
      await set('Ada likes tea.')
      await loom.call('memory.delete', { namespace, memory_key: key })
    }
    expect(told(await take([TEA]))).toBe('written')
    expect(await get()).toMatchObject({ found: true, value: TEA, status: 'active' })
  })

  it.each([
    ['pinned', 'refused pinned', { pinned: true }],
    ['locked', 'refused locked', {}],
  ] as const)('is not held until the write: a key that is %s in between refuses it [IMP066]', async (how, answer, more) => {
    const { namespace, set, take, get } = space()
    const text = `${TEA} She was ${how}.`
    meanwhile = async () => {
      await set(OTHER, { memory_key: keyOf(text), ...more })
      if (how === 'locked') await loom.call('memory.lock', { namespace, memory_key: keyOf(text), reason: 'kept' })
    }
    expect(told(await take([text]))).toBe(answer)
    expect(await get(keyOf(text))).toMatchObject({ value: OTHER })
    expect(told(await take([text]))).toBe('skipped revised')
  })
})
