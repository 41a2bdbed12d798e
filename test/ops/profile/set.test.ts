import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('profile.set and procedure.record', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine({ models: NO_MODELS })
  })
  afterAll(() => loom.close())

  const get = (memory_key: string, more: object = {}) => loom.call('memory.get', { memory_key, ...more })

  it('keeps an attribute of a subject under its key, out of search [KEY028]', async () => {
    const set = async (more: object) => (await loom.call('profile.set', { attribute: 'tone', value: 'plain words', ...more })).memory_key
    expect(await set({})).toBe('profile/default/tone')
    expect(await set({ user_id: 'ada' })).toBe('profile/ada/tone')
    expect(await set({ subject: 'a/b%c' })).toBe('profile/a%2Fb%25c/tone')
    expect(await get('profile/default/tone')).toMatchObject({ memory_type: 'profile', value: 'plain words', tags: [] })
    expect((await loom.call('memory.search', { query: 'plain words', include_top_n_unmatched: 50 })).results).toEqual([])
    for (const attribute of ['', 'Tone', '.x', 'a'.repeat(101)])
      await refused(loom.call('profile.set', { attribute, value: 1 }), 'INVALID_ARGUMENT')
    expect(
      (await refused(loom.call('profile.set', { attribute: 'a', value: 1, subject: '%'.repeat(200) }), 'INVALID_ARGUMENT')).fields,
    ).toMatchObject({ field: 'memory_key' })
  })

  it('is scrubbed with the memory that it was built from [CHG051]', async () => {
    const first = await loom.call('memory.set', { memory_key: 'chat', value: 'Ada takes Quetzalcoatl tea.' })
    await loom.call('profile.set', { attribute: 'drink', value: 'Quetzalcoatl tea', subject: 'ada', built_from: ['chat'] })
    expect(await get('profile/ada/drink')).toMatchObject({ derived_from: [first.memory_id] })
    await loom.call('memory.update', { memory_key: 'chat', value: 'Ada takes tea.' })
    const redacted = await loom.call('memory.redact', { memory_key: 'chat', version: first.version, reason: 'secret' })
    expect(redacted.profiles.map((row) => row.memory_key)).toEqual(['profile/ada/drink'])
    const before = await countStores(loom.database)
    const failure = await refused(
      loom.call('profile.set', { attribute: 'x', value: 1, built_from: ['chat', 'nowhere'] }),
      'INVALID_ARGUMENT',
    )
    expect(failure.fields).toMatchObject({ field: 'built_from[1]' })
    expect(await countStores(loom.database)).toEqual(before)
  })

  it('keeps the steps of a procedure, which are what is judged [KEY030]', async () => {
    const steps = ['Stop the pump.', { do: 'Open the valve.', check: 'It hisses.', why: 'Pressure.' }]
    const made = await loom.call('procedure.record', { title: 'Drain the pump', situation: 'before winter', steps, notes: 'Wear gloves.' })
    expect(made).toMatchObject({ memory_key: 'procedure/drain-the-pump', retyped_from: '', conflict_verdict: 'clear' })
    expect(await get('procedure/drain-the-pump')).toMatchObject({
      memory_type: 'procedural',
      tags: [],
      value: { title: 'Drain the pump', situation: 'before winter', steps, notes: 'Wear gloves.' },
    })
    const { results } = await loom.call('memory.search', { query: 'open the valve of the pump' })
    expect(results[0]).toMatchObject({
      memory_key: 'procedure/drain-the-pump',
      content_excerpt: expect.stringContaining('Drain the pump; before winter; Stop the pump.; Open the valve.'),
    })
    for (const wrong of [[], [''], [{ check: 'x' }], Array.from({ length: 101 }, () => 'x')])
      await refused(loom.call('procedure.record', { title: 't', steps: wrong as never }), 'INVALID_ARGUMENT')
  })
})
