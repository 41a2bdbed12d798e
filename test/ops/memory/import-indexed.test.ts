import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeHalfvec } from '../../../shared/engine/db/vector-bytes.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { DEFAULT_RATES } from '../../../shared/engine/access/rate-limits.ts'
import { openTestEngine, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { testModels } from '../../helpers/models.ts'

const TEA = 'Ada prefers green tea in the morning.'

let loom: TestEngine
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine({ mode: 'multi', config: { rates: { ...DEFAULT_RATES, import: 12 } } })
})
afterAll(() => loom.close())

/** A token for each test, so that each has a budget of its own. */
function space() {
  const namespace = `x${++spaces}`
  const claims = { ...localClaims('human', 'ada'), token_id: `token-${namespace}` }
  const call = ((op: string, input: object) =>
    loom.engine.run(op, { namespace, agent: 'a', ...input }, testCaller(claims))) as unknown as TestEngine['call']
  return {
    namespace,
    call,
    take: (...texts: string[]) => call('memory.import', { entries: texts.map((text) => ({ text })) }),
    vectors: () =>
      sql<{ memory_key: string; axis: string; bytes: Uint8Array }>`SELECT m.memory_key, e.axis, halfvec_send(e.vec) AS bytes
        FROM loom.memory_embedding e JOIN loom.memory m USING (org, memory_id) WHERE m.namespace = ${namespace}
        ORDER BY m.memory_key, e.axis`
        .execute(loom.database.reader)
        .then(({ rows }) => rows),
    found: async (query: string) => {
      const { results } = await call('memory.search', { query, search_mode: 'lexical', namespace })
      return results.map((result) => result.memory_key)
    },
  }
}

const keyOf = (text: string): string => `import:${createHash('sha256').update(text).digest('hex').slice(0, 24)}`

describe('what is indexed of an imported fact', () => {
  it('is its text alone, in one vector: that of the bare text [IMP020, IMP021]', async () => {
    const { take, vectors, found } = space()
    await take(TEA)
    await loom.engine.runDueJobs()
    const [made] = (await (await testModels()).embedder?.embed([TEA])) ?? []
    expect(
      (await vectors()).map(({ axis, bytes }) => [axis, Buffer.from(bytes).equals(encodeHalfvec(made ?? new Float32Array()))]),
    ).toEqual([['value', true]])
    expect(await found('tea')).toEqual([keyOf(TEA)])
    expect([await found('import'), await found(keyOf(TEA).slice(7))]).toEqual([[], []])
  })

  it('is the same when memory.set or memory.bulk_set writes the key, and no other key is spared its name [IMP022, IMP023]', async () => {
    const imported = space()
    await imported.take(TEA)
    const key = keyOf(TEA)
    const bySet = space()
    await bySet.call('memory.set', { memory_key: key, value: TEA })
    const byBulk = space()
    await byBulk.call('memory.bulk_set', { entries: [{ memory_key: key, value: TEA }] })
    const others = space()
    const shapes = [`import:${'AB'.repeat(12)}`, `import:${'ab'.repeat(12)}/x`, `import:${'ab'.repeat(11)}`, `x${key}`]
    for (const [at, memory_key] of shapes.entries()) await others.call('memory.set', { memory_key, value: TEA, user_id: `u${at}` })
    await loom.engine.runDueJobs()
    const plain = (await imported.vectors())[0]?.bytes
    for (const other of [bySet, byBulk]) expect(await other.vectors()).toEqual([{ memory_key: key, axis: 'value', bytes: plain }])
    const named = await others.vectors()
    expect(named.map(({ axis }) => axis)).toEqual(shapes.flatMap(() => ['key', 'value']))
    expect(named.filter(({ bytes }) => Buffer.from(bytes).equals(Buffer.from(plain ?? [])))).toEqual([])
  })

  it('ends at 1,200 characters of its JSON, where a letter may take six and a picture twelve [IMP024]', async () => {
    const { take, found } = space()
    // Quotes take 2, and " zebra" 6: 198 letters leave room for it, 199 do not.
    const cyrillic = (count: number): string => `${'щ'.repeat(count)} zebra`
    const pictures = (count: number): string => `${'🦓'.repeat(count)} zebra`
    await take(cyrillic(198), cyrillic(199), pictures(99), pictures(100))
    expect((await found('zebra')).sort()).toEqual([keyOf(cyrillic(198)), keyOf(pictures(99))].sort())
  })
})

describe('calls of memory.import', () => {
  it('draw from a budget of their own [IMP073]', async () => {
    const { take, call } = space()
    for (let run = 0; run < 12; run++) await take(TEA)
    await expect(take(TEA)).rejects.toMatchObject({ code: 'RATE_LIMITED', fields: { class: 'memory.import' } })
    expect(await call('memory.set', { memory_key: 'k', value: 'The lift is green.' })).toMatchObject({ status: 'active' })
    const bulk = await call('memory.bulk_set', { entries: [{ memory_key: 'b', value: 'The roof was tarred.' }] })
    expect(bulk.written).toHaveLength(1)
  })
})
