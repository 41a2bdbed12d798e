import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

const DAY_MS = 86_400_000

describe('run.start, event, complete, grade, get and list', () => {
  let loom: TestEngine
  let now = Date.parse('2026-11-30T12:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ models: NO_MODELS, clock: () => now })
  })
  afterAll(() => loom.close())

  const start = (run_id: string, more: object = {}) => loom.call('run.start', { run_id, ...more })
  const get = (run_id: string, more: object = {}) => loom.call('run.get', { run_id, ...more })
  const complete = (run_id: string, more: object = {}) => loom.call('run.complete', { run_id, status: 'completed', ...more })
  const audited = async (op: string) => (await loom.call('audit.list', { op, limit: 200 })).rows

  it('begins a run once, under a name given or made', async () => {
    const made = await loom.call('run.start', { goal: 'Index the wiki', metadata: { host: 'a' }, parent_run_id: 'up' })
    expect(made).toMatchObject({ status: 'running', created: true, started_at: new Date(now).toISOString() })
    const { run_id, started_at } = made
    now += 1000
    const before = await countStores(loom.database)
    expect(await start(run_id, { goal: 'Another' })).toEqual({ run_id, status: 'running', started_at, created: false })
    expect(await countStores(loom.database)).toEqual(before)
    expect(await get(run_id)).toMatchObject({
      found: true,
      goal: 'Index the wiki',
      implicit: false,
      parent_run_id: 'up',
      actor: 'human:local',
    })
    expect(await get(run_id)).toMatchObject({
      metadata: { host: 'a' },
      agent: 'default',
      user_id: '-',
      completed_at: null,
      memories_written: 0,
    })
    expect(await audited('run.start')).toMatchObject([{ run_id, subject: `run:default/-/-/${run_id}` }])
    await refused(start(run_id, { agent: 'other' }), 'ALREADY_EXISTS')
    await complete(run_id)
    await refused(start(run_id), 'ALREADY_EXISTS')
    await refused(start('large', { metadata: { text: 'x'.repeat(16_384) } }), 'INVALID_ARGUMENT')
    await refused(start('x'.repeat(201)), 'INVALID_ARGUMENT')
    await refused(start('new\nline'), 'INVALID_ARGUMENT')
    expect(await get('nowhere')).toEqual({ found: false, event_list: [], written: [], next_cursor: null })
  })

  it('takes events in order, of a run that is over too, and stores none of an unknown run', async () => {
    await start('told')
    const events = [
      { kind: 'tool_call', name: 'grep', summary: 'looked', files: ['a.ts', 'b.ts'], duration_ms: 12 },
      { kind: 'error', ok: false, memory_keys: ['deploys'], at: '2026-11-30T11:00:00Z' },
    ] as const
    const before = await countStores(loom.database)
    expect(await loom.call('run.event', { run_id: 'told', events: [...events] as never })).toEqual({
      found: true,
      appended: 2,
      last_seq: 2,
    })
    expect(await countStores(loom.database)).toEqual(before)
    await complete('told')
    const more = Array.from({ length: 100 }, (_, n) => ({ kind: 'file_write' as const, files: [`f${n}.ts`] }))
    expect(await loom.call('run.event', { run_id: 'told', events: more })).toEqual({ found: true, appended: 100, last_seq: 102 })
    expect(await loom.call('run.event', { run_id: 'nobody', events: more })).toEqual({ found: false, appended: 0, last_seq: 0 })
    const first = await get('told', { limit: 2 })
    expect(first).toMatchObject({ status: 'completed', events: 102, tool_calls: 1 })
    expect(first.files).toHaveLength(100)
    expect(first.files?.slice(0, 3)).toEqual(['a.ts', 'b.ts', 'f0.ts'])
    expect(first.event_list).toEqual([
      {
        seq: 1,
        at: new Date(now).toISOString(),
        kind: 'tool_call',
        name: 'grep',
        summary: 'looked',
        files: ['a.ts', 'b.ts'],
        memory_keys: [],
        ok: true,
        code: '',
        duration_ms: 12,
      },
      {
        seq: 2,
        at: '2026-11-30T11:00:00.000Z',
        kind: 'error',
        name: '',
        summary: '',
        files: [],
        memory_keys: ['deploys'],
        ok: false,
        code: '',
        duration_ms: null,
      },
    ])
    const rest = await get('told', { limit: 1000, cursor: first.next_cursor })
    expect([rest.event_list.length, rest.event_list[0]?.seq, rest.next_cursor]).toEqual([100, 3, null])
    expect((await get('told', { events: false })).event_list).toEqual([])
    await refused(loom.call('run.event', { run_id: 'told', events: [{ kind: 'op' } as never] }), 'INVALID_ARGUMENT')
    await refused(loom.call('run.event', { run_id: 'told', events: [] }), 'INVALID_ARGUMENT')
  })

  it('tells repeats of an event apart by the Idempotency-Key alone', async () => {
    await start('repeated')
    const told = (idempotencyKey?: string) =>
      loom.call('run.event', { run_id: 'repeated', events: [{ kind: 'note' }] }, idempotencyKey === undefined ? {} : { idempotencyKey })
    expect([await told('k1'), await told('k1'), await told(), await told('k2')].map((one) => one.last_seq)).toEqual([1, 1, 2, 3])
    await complete('repeated')
  })

  it('ends a run once: the same call again is a noop, other fields are refused', async () => {
    await loom.call('memory.set', { memory_key: 'deploys', value: 'Production deploys run Tuesday.' })
    await start('done', { metadata: { a: 1, b: 1 } })
    now += 5000
    const fields = {
      final_response: 'Rolled back.',
      confidence: 0.9,
      memories_used: ['deploys', 'deploys', 'nowhere'],
      metadata: { b: 2 },
      reflection: 'ok',
    }
    const answer = await complete('done', fields)
    expect(answer).toEqual({
      run_id: 'done',
      status: 'completed',
      completed_at: new Date(now).toISOString(),
      created: false,
      noop: false,
      used: 1,
      used_unknown: ['nowhere'],
      outcome_applied: 0,
      retained: { demoted: 0, expired: 0, refused: [] },
      awaiting_grade: [],
    })
    now += 5000
    const before = await countStores(loom.database)
    expect(await complete('done', fields)).toEqual({ ...answer, noop: true })
    expect(await countStores(loom.database)).toEqual(before)
    const other = await refused(complete('done', { ...fields, reflection: 'changed' }), 'ALREADY_EXISTS')
    expect(other.fields).toMatchObject({ field: 'run_id' })
    expect(await get('done')).toMatchObject({
      duration_ms: 5000,
      metadata: { a: 1, b: 2 },
      confidence: 0.9,
      final_response: 'Rolled back.',
      retain: 'keep',
      outcome: null,
    })
    expect((await audited('run.complete')).filter((row) => row.run_id === 'done')).toHaveLength(1)
    expect(await loom.call('memory.get', { memory_key: 'deploys' })).toMatchObject({ used_count: 1, recall_count: 0 })
  })

  it('makes a run that was never begun, as long ago as it says', async () => {
    expect(await complete('unbegun', { status: 'failed', duration_ms: 60_000, recalled_keys: ['deploys'] })).toMatchObject({
      created: true,
      noop: false,
    })
    expect(await get('unbegun')).toMatchObject({ status: 'failed', duration_ms: 60_000, started_at: new Date(now - 60_000).toISOString() })
    expect(await loom.call('memory.get', { memory_key: 'deploys' })).toMatchObject({
      used_count: 1,
      recall_count: 1,
      last_recalled_at: new Date(now).toISOString(),
    })
    await start('full', { metadata: { a: 'x'.repeat(9000) } })
    await refused(complete('full', { metadata: { b: 'x'.repeat(9000) } }), 'INVALID_ARGUMENT')
    expect(await get('full')).toMatchObject({ status: 'running' })
  })

  it('cancels a run that is silent for a day; completing it later still counts', async () => {
    await start('silent')
    now += DAY_MS - 60_000
    await loom.call('run.event', { run_id: 'silent', events: [{ kind: 'note' }] })
    now += DAY_MS - 1
    await loom.engine.runDueJobs()
    expect(await get('silent')).toMatchObject({ status: 'running' })
    now += 60_001
    await loom.engine.runDueJobs()
    expect(await get('silent')).toMatchObject({ status: 'cancelled', duration_ms: DAY_MS - 60_000 })
    expect(await loom.call('run.grade', { run_id: 'silent', grade: 'pass' })).toMatchObject({
      found: true,
      graded: false,
      reason: 'not_completed',
    })
    expect(await complete('silent')).toMatchObject({ created: false, noop: false })
    expect(await get('silent')).toMatchObject({ status: 'completed' })
    await refused(complete('silent', { reflection: 'again' }), 'ALREADY_EXISTS')
  })

  it('grades a run that is over, and grades it anew', async () => {
    const grade = (run_id: string, given: 'pass' | 'fail', reason = '') => loom.call('run.grade', { run_id, grade: given, reason })
    expect(await grade('nobody', 'pass')).toEqual({
      found: false,
      graded: false,
      reason: 'not_found',
      grade: null,
      changed: false,
      trials: [],
    })
    await start('open')
    expect(await grade('open', 'pass')).toMatchObject({ found: true, graded: false, reason: 'not_completed' })
    await complete('open', { status: 'cancelled' })
    expect(await grade('open', 'pass')).toMatchObject({ graded: false, reason: 'not_completed' })
    expect(await grade('done', 'pass', 'good')).toEqual({ found: true, graded: true, reason: '', grade: 'pass', changed: true, trials: [] })
    expect(await grade('done', 'pass', 'good')).toMatchObject({ graded: true, changed: false })
    expect(await grade('done', 'fail', 'no')).toMatchObject({ grade: 'fail', changed: true })
    expect(await get('done')).toMatchObject({
      grade: 'fail',
      grade_reason: 'no',
      graded_by: 'human:local',
      graded_at: new Date(now).toISOString(),
    })
    expect((await audited('run.grade')).filter((row) => row.run_id === 'done')).toHaveLength(2)
  })

  it('lists runs, newest first, by what they are', async () => {
    const list = async (more: object = {}) => (await loom.call('run.list', more)).runs.map((run) => run.run_id)
    expect(await list({ grade: 'fail' })).toEqual(['done'])
    expect(await list({ memory_key: 'deploys' })).toEqual(['done'])
    expect(await list({ status: ['failed'] })).toEqual(['unbegun'])
    expect(await list({ status: ['running'], grade: 'none' })).toEqual([])
    expect(await list({ implicit: true })).toEqual([])
    expect(await list({ agent: 'nobody' })).toEqual([])
    const all = await list()
    expect(all[0]).toBe('open')
    expect(await list({ since: new Date(now).toISOString() })).toEqual(['open'])
    expect(await list({ until: new Date(now).toISOString() })).toEqual(all.slice(1))
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { runs: { run_id: string }[]; next_cursor: string | null } = await loom.call('run.list', { limit: 2, cursor })
      paged.push(...page.runs.map((run) => run.run_id))
      cursor = page.next_cursor
    }
    expect(paged).toEqual(all)
  })

  it('[API031] shows a bound token its own runs alone', async () => {
    const claims = { ...localClaims('process', 'bot'), grants: { local: 'writer' as const }, user_id: 'ada' }
    await start('adas', { user_id: 'ada' })
    await start('bobs', { user_id: 'bob', goal: 'merge salaries' })
    const seen = async (run_id: string) => (await loom.call('run.get', { run_id }, { claims })).found
    expect([await seen('adas'), await seen('bobs')]).toEqual([true, false])
    expect((await loom.call('run.list', {}, { claims })).runs.map((run) => run.run_id)).toEqual(['adas'])
    expect(await loom.call('run.event', { run_id: 'bobs', events: [{ kind: 'note' }] }, { claims })).toMatchObject({ found: false })
    expect(await loom.call('run.grade', { run_id: 'bobs', grade: 'fail' }, { claims })).toMatchObject({ found: false })
    await refused(loom.call('run.complete', { run_id: 'bobs', status: 'failed' }, { claims }), 'ALREADY_EXISTS')
    await refused(loom.call('run.start', { run_id: 'bobs' }, { claims }), 'ALREADY_EXISTS')
    expect(await get('bobs')).toMatchObject({ status: 'running', events: 0 })
  })

  it('asks for an agent where nothing names one', async () => {
    const server = await openTestEngine({ models: NO_MODELS, host: 'server', mode: 'multi' })
    const claims = { ...localClaims('human', 'ada'), org: 'acme', grants: { chat: 'writer' as const } }
    const failure = await refused(server.call('run.complete', { run_id: 'r', status: 'completed' }, { claims }), 'MISSING_IDENTITY_FIELD')
    expect(failure.fields).toMatchObject({ field: 'agent' })
    await server.call('run.start', { run_id: 'r', agent: 'bot' }, { claims })
    expect(await server.call('run.complete', { run_id: 'r', status: 'completed' }, { claims })).toMatchObject({ created: false })
    expect(await server.call('run.get', { run_id: 'r' }, { claims })).toMatchObject({ agent: 'bot' })
    await server.close()
  })
})
