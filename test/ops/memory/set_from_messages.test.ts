import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { REGISTRY, type CallInputOf } from '../../../shared/contract/registry.ts'
import { openChatServer, type Asked, type ChatServer } from '../../helpers/chat-server.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

type Input = CallInputOf<'memory.set_from_messages'>

let chat: ChatServer
let loom: TestEngine
let plain: TestEngine
let linking: TestEngine
let now = Date.parse('2026-06-15T10:00:00Z')
let spaces = 0
beforeAll(async () => {
  chat = await openChatServer()
  const llm = { url: chat.url, model: 'small', apiKey: 'k', timeoutMs: 5_000 }
  loom = await openTestEngine({ clock: () => now, config: { llm } })
  plain = await openTestEngine({ clock: () => now })
  linking = await openTestEngine({ clock: () => now, config: { llm, extractValueUpdates: true } })
})
afterAll(async () => {
  for (const engine of [loom, plain, linking]) await engine.close()
  await chat[Symbol.asyncDispose]()
})
beforeEach(() => void chat.asked.splice(0))

const said = (content: string, role: 'user' | 'assistant' | 'tool' = 'user') => ({ role, content })
const fact = (key: string, value: string, quote = value, more: object = {}) => ({ key, value, quote, ...more })
const isJudge = ({ system }: Asked): boolean => system.startsWith('You check facts')

/** The model answers these facts, and upholds all of them. */
function model(facts: readonly object[], more: object = {}): void {
  chat.reply = (asked) => (isJudge(asked) ? { supported: (asked.user['facts'] as { n: number }[]).map(({ n }) => n) } : { facts, ...more })
}

function space(engine = loom) {
  const namespace = `x${++spaces}`
  const at = { namespace }
  return {
    at,
    extract: (messages: Input['messages'], more: Partial<Input> = {}) => {
      now += 1000
      return engine.call('memory.set_from_messages', { ...at, messages, ...more })
    },
    set: (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
      engine.call('memory.set', { ...at, memory_key, value, ...more }),
    get: (memory_key: string) => engine.call('memory.get', { ...at, memory_key }),
    count: async () => (await engine.call('memory.list', { ...at, with_total: true })).total,
  }
}

describe('memory.set_from_messages', () => {
  it('stores the facts that a transcript taught, as memory.set would [EXT001]', async () => {
    const { extract, get, at } = space()
    const text = 'I work for Ada at the harbour office.'
    model([fact('user/work/place', 'The user works at the harbour office.', text, { entities: ['Ada'], tags: ['work'] })])
    const answer = await extract([said(text), said('Good to know!', 'assistant')], { extra_tags: ['chat'], run_id: 'r1' })
    expect(answer).toMatchObject({
      written: [{ memory_key: 'user/work/place', status: 'active', conflict_verdict: 'clear' }],
      refused: [],
      segments: 1,
      llm_model: 'small',
      tokens_in: 200,
      tokens_out: 20,
      degraded: [],
      deferred: false,
    })
    expect(await get('user/work/place')).toMatchObject({
      value: 'The user works at the harbour office.',
      tags: ['chat', 'work'],
      entities: ['ada'],
      source_class: 'derived',
      actor: 'human:local',
      run_id: 'r1',
    })
    expect((await loom.call('audit.list', { ...at, op: 'memory.set_from_messages' })).rows).toHaveLength(1)
  })

  it('takes the fields that are published, and answers those [EXT006]', () => {
    const { input, output } = REGISTRY['memory.set_from_messages']
    const taken =
      'org namespace agent user_id session_id run_id messages extra_tags recalled_keys session_values max_tokens judge_extraction record_schema memory_key observation_date llm_cache detect_updates last_messages extraction_instructions coverage_sweep agent_learnings pipeline_steps valid_at defer'
    expect(Object.keys(input.shape).toSorted()).toEqual(taken.split(' ').toSorted())
    const told =
      'written refused forgotten_keys value_updates_linked learning_candidates deferred queue_id stage_ms tokens_in tokens_out ignored_args degraded'
    expect(Object.keys(output.shape)).toEqual(expect.arrayContaining(told.split(' ')))
  })

  it('without a model stores nothing, says so, and names memory.set [EXT007]', async () => {
    const { extract, count } = space(plain)
    const answer = await extract([said('I moved to Berlin.')], { defer: true })
    expect(answer).toMatchObject({ written: [], deferred: false, queue_id: '', degraded: ['llm'], next: 'memory.set', llm_provider: '' })
    expect(await count()).toBe(0)
  })

  it('a model that fails at any of its calls leaves nothing behind [EXT007]', async () => {
    const { extract, count } = space()
    const text = 'The gate opens at seven.'
    for (const reply of [{ status: 500 }, 'I would rather not.', { facts: 'none' }, { cut: true }, { status: 401 }] as const) {
      chat.reply = () => reply
      expect(await extract([said(text)], { llm_cache: false })).toMatchObject({ written: [], degraded: ['llm'], next: 'memory.set' })
    }
    chat.reply = (asked) => (isJudge(asked) ? { verdict: 'fine' } : { facts: [fact('gate', text)] })
    expect(await extract([said(text)], { llm_cache: false })).toMatchObject({ written: [], degraded: ['llm'] })
    expect(await count()).toBe(0)
  })

  it('does not produce again what was marked wrong, in the same words or others [EXT002, CHG014]', async () => {
    const { extract, at, set } = space()
    const text = 'The backup job runs every night at two.'
    model([fact('backup/hour', text)])
    await extract([said(text)])
    await loom.call('memory.reject', { ...at, memory_key: 'backup/hour' })
    expect((await loom.call('memory.search', { ...at, query: 'when does the backup job run?' })).results).toEqual([])
    expect(await extract([said(text)])).toMatchObject({ written: [], refused: [{ memory_key: 'backup/hour', reason: 'rejected' }] })
    const other = 'Every night at two the backup job runs.'
    model([fact('jobs/backup', other)])
    expect(await extract([said(other)])).toMatchObject({ written: [], refused: [{ reason: 'rejected' }] })
    // Another fact passes, and so does the same one once its mark is gone.
    model([fact('gate', 'The gate opens at seven.')])
    expect((await extract([said('The gate opens at seven.')])).written).toHaveLength(1)
    await set('backup/hour', text)
    model([fact('jobs/backup', other)])
    expect((await extract([said(other)])).refused).toEqual([])
  })

  it('links a new value to the one that it changes where the owner says so, and only there [EXT003, CFG004]', async () => {
    for (const [engine, expected] of [
      [loom, 0],
      [linking, 1],
    ] as const) {
      const { extract, set, at } = space(engine)
      await set('deploy/window/prod', 'Production deploys run Tuesday and Thursday only; never Friday.')
      const text = 'Production deploys run Monday to Thursday.'
      model([fact('ops/deploys', text)])
      expect(await extract([said(text)])).toMatchObject({
        written: [{ conflict_verdict: 'conflict' }],
        value_updates_linked: expected,
      })
      const { rows } = await sql<{
        relation: string
        note: string
      }>`SELECT relation, note FROM loom.memory_link WHERE namespace = ${at.namespace}`.execute(engine.database.reader)
      expect(rows).toEqual(expected ? [{ relation: 'refines', note: 'value update' }] : [])
      expect(await extract([said(text)], { detect_updates: false, llm_cache: false })).toMatchObject({ value_updates_linked: 0 })
    }
  })

  it('no import links anything, though the linker is on [IMP009]', async () => {
    const { set, at } = space(linking)
    await set('deploy/window/prod', 'Production deploys run Tuesday and Thursday only; never Friday.')
    const entries = [{ text: 'Production deploys run Monday to Thursday.' }]
    const { results } = await linking.call('memory.import', { ...at, entries })
    expect(results).toMatchObject([{ outcome: 'written', reason: 'conflicted' }])
    const { rows } = await sql`SELECT 1 FROM loom.memory_link WHERE namespace = ${at.namespace}`.execute(linking.database.reader)
    expect(rows).toEqual([])
  })

  it('fills valid_at of a change told in the past tense, from the words or by the model [TIM004]', async () => {
    const { extract, get } = space()
    const text = 'We moved to Berlin in March, and the new office opened on 2026-04-02.'
    model([
      fact('user/city', 'The user moved to Berlin in March.', 'We moved to Berlin in March'),
      fact('office/opening', 'The new office is open.', 'the new office opened on 2026-04-02', { valid_at: '2026-04-02' }),
      fact('user/mood', 'The user likes Berlin.', 'We moved to Berlin', { valid_at: 'whenever' }),
      fact('plan', 'The office will be larger.', 'new office', { valid_at: '2031-01-01' }),
    ])
    await extract([{ ...said(text), at: '2026-06-01T00:00:00Z' }], { valid_at: '2026-05-05' })
    const valid = async (key: string) => (await get(key)).valid_at?.slice(0, 10)
    expect(await Promise.all(['user/city', 'office/opening', 'plan'].map(valid))).toEqual(['2026-03-01', '2026-04-02', '2026-05-05'])
  })

  it('a changed value goes under the key that it changes; with detect_updates off, under one of its own', async () => {
    const { extract, get, set } = space()
    await set('user/tea', 'The user prefers green tea.')
    model([fact('user/tea', 'The user prefers black tea.', 'black tea')])
    expect((await extract([said('Now I like black tea.')])).written).toMatchObject([{ memory_key: 'user/tea' }])
    expect(chat.asked[0]?.user['known']).toMatchObject([{ key: 'user/tea' }])
    expect((await get('user/tea')).value).toBe('The user prefers black tea.')
    model([fact('user/tea', 'The user prefers white tea.', 'white tea')])
    const apart = await extract([said('Now I like white tea.')], { detect_updates: false })
    expect(apart.written[0]?.memory_key).toMatch(/^user\/tea-[0-9a-f]{8}$/)
  })

  it('learns nothing back that the model was shown', async () => {
    const { extract, set, get } = space()
    await set('backup/hour', 'The backup job runs every night at two.')
    const before = await get('backup/hour')
    model([fact('jobs/backup', 'Every night at two the backup job runs.', 'it runs at two')])
    const answer = await extract([said('As I said, it runs at two.', 'assistant')], { recalled_keys: ['backup/hour'] })
    expect([answer.written, answer.refused]).toEqual([[], []])
    expect(chat.asked[0]?.user['recalled']).toEqual([{ key: 'backup/hour', value: 'The backup job runs every night at two.' }])
    expect((await get('backup/hour')).reinforcement_count).toBe(before.reinforcement_count)
  })

  it('forgets what the user asks to have forgotten, of their own', async () => {
    const { at, extract, set, get } = space()
    await set('user/address/old', 'The user lives at 5 Elm Street.', { user_id: 'u1' })
    await set('office/address', 'The office is at 5 Elm Street.')
    const quote = 'Please forget my old address on Elm Street'
    model([], {
      forget: [
        { key: 'user/address/old', quote },
        { key: 'office/address', quote },
        { key: 'none', quote },
      ],
    })
    const answer = await extract([said(`${quote}.`)], { user_id: 'u1' })
    expect(answer.forgotten_keys).toEqual(['user/address/old'])
    expect((await loom.call('memory.get', { ...at, memory_key: 'user/address/old', user_id: 'u1' })).reason).toBe('deleted')
    expect((await get('office/address')).found).toBe(true)
  })

  it('records learnings where asked, which wait for review', async () => {
    const { at, extract } = space()
    const learnings = [{ lesson: 'Check the gate before leaving.', situation: 'at night', quote: 'check the gate' }]
    model([], { learnings })
    const text = said('Next time check the gate.')
    expect((await extract([text])).learning_candidates).toEqual([])
    const { learning_candidates } = await extract([text], { agent_learnings: true })
    expect(learning_candidates).toEqual(['learning/check-the-gate-before-leaving'])
    expect((await loom.call('learning.queue', at)).learnings).toMatchObject([{ review: 'pending', situation: 'at night' }])
  })

  it('sweeps, judges and stops as the steps say, and keeps answers of the model', async () => {
    const { extract } = space()
    const text = 'The gate opens at seven. The parrot is called Igor.'
    const [first, second] = [fact('gate', 'The gate opens at seven.'), fact('parrot', 'The parrot is called Igor.')]
    chat.reply = (asked) => {
      if (isJudge(asked)) return { supported: [1] }
      return { facts: asked.user['found'] ? [first, second] : [first] }
    }
    const answer = await extract([said(text)], { coverage_sweep: true })
    expect(answer).toMatchObject({ written: [{ memory_key: 'parrot' }], refused: [{ memory_key: 'gate', reason: 'unsupported' }] })
    expect(Object.keys(answer.stage_ms).toSorted()).toEqual(['extract', 'judge', 'recall', 'sweep', 'write'])
    expect(chat.asked).toHaveLength(3)
    const { extract: other } = space()
    chat.asked.splice(0)
    expect((await other([said(text)], { pipeline_steps: ['extract'] })).written).toHaveLength(1)
    expect(chat.asked).toHaveLength(1)
    expect(await other([said(text)], { pipeline_steps: ['extract'] })).toMatchObject({ tokens_in: 100 })
    const before = chat.asked.length
    expect(await other([said(text)], { pipeline_steps: ['extract'] })).toMatchObject({ tokens_in: 0 })
    expect(chat.asked.length).toBe(before)
    expect((await other([said(text)], { pipeline_steps: ['judge'] })).segments).toBe(1)
    expect(chat.asked.length).toBe(before)
  })

  it('a long transcript is read in parts, of which the last messages alone are learnt from', async () => {
    const { extract } = space()
    model([])
    const messages = Array.from({ length: 5 }, (_, n) => said(`${n} `.repeat(6_000)))
    expect((await extract(messages)).segments).toBe(3)
    expect((await extract(messages, { last_messages: 1 })).segments).toBe(1)
    expect(chat.asked.at(-1)?.user['context']).toMatchObject([{ n: 3 }])
    const huge = Array.from({ length: 30 }, () => said('x'.repeat(100_000)))
    await expect(extract(huge)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'messages' } })
  })

  it('refuses what cannot be read', async () => {
    const { extract } = space()
    model([])
    await expect(extract([])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(extract([said('a\0b')])).rejects.toMatchObject({ fields: { field: 'messages[0].content' } })
    await expect(extract([said('\ud800')])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(extract([said('x')], { memory_key: 'k' })).rejects.toMatchObject({ fields: { field: 'record_schema' } })
    await expect(extract([said('x')], { record_schema: 'invoice' })).rejects.toMatchObject({ fields: { field: 'memory_key' } })
  })

  it('defer queues, and the job extracts with the identity of who asked; a model that is down is tried again', async () => {
    const { extract, get, at } = space()
    const text = 'The gate opens at seven.'
    chat.reply = () => ({ status: 500 })
    const answer = await extract([said(text)], { defer: true, agent: 'scribe', llm_cache: false })
    expect(answer).toMatchObject({ deferred: true, written: [], degraded: [] })
    expect(answer.queue_id).not.toBe('')
    await loom.engine.runDueJobs(new Date((now += 6_000)))
    expect((await get('gate')).found).toBe(false)
    model([fact('gate', text)])
    await loom.engine.runDueJobs(new Date((now += 20_000)))
    expect(await get('gate')).toMatchObject({ found: true, agent: 'scribe', source_class: 'derived' })
    const { rows } = await sql`SELECT 1 FROM loom.extract_queue WHERE namespace = ${at.namespace}`.execute(loom.database.reader)
    expect(rows).toEqual([])
  })
})
