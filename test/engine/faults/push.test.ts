import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PgliteDatabase } from '../../../shared/engine/db/pglite.ts'
import { NO_MODELS, type TestEngine } from '../../helpers/engine.ts'
import { compareIndexes } from '../../helpers/invariants.ts'
import { ADMIN, AT, change, openServer, pairDevice, set, type Device } from '../../helpers/push.ts'
import { watchStatements, type StatementWatch } from '../../helpers/statements.ts'

let now = Date.UTC(2026, 5, 1, 12)
let server: TestEngine
let alice: Device
let watch: StatementWatch
beforeAll(async () => {
  server = await openServer({ models: NO_MODELS, clock: () => now })
  alice = await pairDevice(server, 'alice', { chat: 'writer' }, {}, () => now)
  watch = watchStatements((server.database as PgliteDatabase).pg)
})
afterAll(() => server.close())

const leaseRunsOut = () => sql`UPDATE loom.device SET push_until = NULL`.execute(server.database.reader)
const history = async (memory_key: string) => (await server.call('memory.history', { ...AT, memory_key }, ADMIN)).rows

/** Two changes of a key that the server changed meanwhile, so that one is lost: the longest way through a settlement. */
async function changesOf(key: string) {
  const { version } = await server.call('memory.set', { ...AT, memory_key: key, value: `First of ${key}` }, ADMIN)
  now += 60_000
  await server.call('memory.set', { ...AT, memory_key: key, value: `Second of ${key}` }, ADMIN)
  now += 60_000
  const at = (ago: number) => ({ base_version: version, recorded_at: new Date(now - ago).toISOString() })
  return [set(key, `Third of ${key}`, at(90_000)), change('memory.update', { memory_key: key, value: `Fourth of ${key}` }, at(30_000))]
}

describe('a push whose store fails', () => {
  it('at any statement leaves nothing half done, and goes through when it is sent again', async () => {
    for (let at = 1; ; at++) {
      const key = `fault/${at}`
      const changes = await changesOf(key)
      watch.breakAt(at, 'before')
      const outcome = await watch.run(() => alice.push(changes)).catch((error: unknown) => error)
      const { statement, torn } = watch.end()
      const when = `statement ${at}: ${statement}`
      // A webhook that cannot be told of a write does not undo it.
      if (!statement.includes('webhook')) expect(torn, when).toEqual([])
      if (outcome instanceof Error) expect(outcome, when).toMatchObject({ code: 'INTERNAL' })
      await leaseRunsOut()
      const { results } = await alice.push(changes)
      expect(
        results.map((result) => result.outcome),
        when,
      ).toEqual(['lost', 'applied'])
      const rows = await history(key)
      expect(
        rows.map(({ value, lost }) => [value, lost] as const).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
        when,
      ).toEqual([
        [`First of ${key}`, false],
        [`Fourth of ${key}`, false],
        [`Second of ${key}`, false],
        [`Second of ${key}`, false],
        [`Third of ${key}`, true],
      ])
      if (statement === '') {
        expect(at).toBeGreaterThan(30)
        break
      }
    }
    await compareIndexes(server, 'chat', now)
  }, 240_000)

  it('whose answer is lost when it had come through, is answered as settled', async () => {
    const changes = await changesOf('fault/lost')
    watch.onStatement(
      (text) => text.trim().toUpperCase() === 'COMMIT',
      'after',
      () => {
        throw new Error('the connection was lost')
      },
    )
    const { results } = await watch.run(() => alice.push(changes))
    watch.end()
    expect(results.map(({ outcome }) => outcome)).toEqual(['retry', 'retry'])
    const again = await alice.push(changes)
    expect(again.results.map(({ outcome, replayed }) => [outcome, replayed])).toEqual([
      ['lost', true],
      ['applied', false],
    ])
    expect((await history('fault/lost')).filter(({ lost }) => lost)).toHaveLength(1)
    await compareIndexes(server, 'chat', now)
  })
})
