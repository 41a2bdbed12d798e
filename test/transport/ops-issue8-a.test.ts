import { expect } from 'vitest'
import type { CallInputOf } from '../../shared/contract/registry.ts'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** Runs and working memory: the main promise of each operation, the same on every road. */

const fact = { memory_key: 'team/lead', value: 'Ada leads the platform team.' } as const

/** A run of an agent, and what it wrote. Runs are named within a namespace, so that every road has its own. */
async function worked(call: OpCall): Promise<string> {
  const { run_id } = await call('run.start', { agent: 'bot', goal: 'Find the lead.' })
  await call('memory.set', { ...fact, run_id })
  return run_id
}

onEveryTransport('run.start', 'begins a run, once', async (call) => {
  const started = await call('run.start', { run_id: 'r', agent: 'bot', metadata: { host: 'a' } })
  expect(started).toMatchObject({ run_id: 'r', status: 'running', created: true })
  expect(await call('run.start', { run_id: 'r', agent: 'bot' })).toEqual({ ...started, created: false })
  await expect(call('run.start', { run_id: 'r', agent: 'other' })).rejects.toMatchObject({ code: 'ALREADY_EXISTS', status: 409 })
})

onEveryTransport('run.event', 'tells what happened in it', async (call) => {
  const run_id = await worked(call)
  const told = await call('run.event', { run_id, events: [{ kind: 'tool_call', name: 'grep', files: ['a.ts'] }] })
  expect(told).toMatchObject({ found: true, appended: 1 })
  expect(await call('run.event', { run_id: 'nobody', events: [{ kind: 'note' }] })).toEqual({ found: false, appended: 0, last_seq: 0 })
})

onEveryTransport('run.complete', 'ends it, with what it used', async (call) => {
  const run_id = await worked(call)
  const end: CallInputOf<'run.complete'> = {
    run_id,
    status: 'completed',
    memories_used: [fact.memory_key, 'no/such/key'],
    outcome: 'positive',
    retain: 'demote',
  }
  expect(await call('run.complete', end)).toMatchObject({
    status: 'completed',
    created: false,
    noop: false,
    used: 1,
    used_unknown: ['no/such/key'],
    outcome_applied: 1,
    retained: { demoted: 1, expired: 0, refused: [] },
  })
  expect(await call('run.complete', end)).toMatchObject({ noop: true })
  expect(await call('memory.get', { memory_key: fact.memory_key })).toMatchObject({ confidence: 0.5, acted_count: 1 })
})

onEveryTransport('run.grade', 'says whether it went well', async (call) => {
  const run_id = await worked(call)
  expect(await call('run.grade', { run_id, grade: 'pass' })).toMatchObject({ found: true, graded: false, reason: 'not_completed' })
  await call('run.complete', { run_id, status: 'failed' })
  expect(await call('run.grade', { run_id, grade: 'fail', reason: 'no' })).toMatchObject({ graded: true, grade: 'fail', changed: true })
})

onEveryTransport('run.get', 'shows it with its events and what it wrote', async (call) => {
  const run_id = await worked(call)
  await call('run.event', { run_id, events: [{ kind: 'note', summary: 'Asked around.' }] })
  const run = await call('run.get', { run_id })
  expect(run).toMatchObject({ found: true, goal: 'Find the lead.', agent: 'bot', memories_written: 1 })
  expect(run.written).toMatchObject([{ memory_key: fact.memory_key, status: 'active' }])
  expect(typeof run.written[0]?.version).toBe('bigint')
  expect(run.event_list.filter((event) => event.kind === 'note')).toMatchObject([{ summary: 'Asked around.', ok: true }])
})

onEveryTransport('run.list', 'lists runs, newest first', async (call) => {
  const run_id = await worked(call)
  await call('run.complete', { run_id: 'other', agent: 'bot', status: 'completed', memories_used: [fact.memory_key] })
  expect((await call('run.list', { implicit: false })).runs.map((run) => run.run_id).sort()).toEqual([run_id, 'other'].sort())
  expect((await call('run.list', { memory_key: fact.memory_key })).runs).toMatchObject([{ run_id: 'other', status: 'completed' }])
})

onEveryTransport('memory.outcome_run', 'tells one outcome of all that a run used', async (call) => {
  const run_id = await worked(call)
  await call('run.complete', { run_id, status: 'completed', memories_used: [fact.memory_key] })
  const told = { recorded: 1, rows: [{ memory_key: fact.memory_key, recorded: true, reason: '', quarantined: false }] }
  expect(await call('memory.outcome_run', { run_id, outcome: 'positive' })).toMatchObject({ found: true, run_id, ...told })
  expect(await call('memory.outcome_run', { run_id, outcome: 'positive' })).toMatchObject({ recorded: 0, rows: [{ reason: 'repeated' }] })
})

const cursor = { agent: 'bot', key: 'import/cursor' } as const

onEveryTransport('working_memory.set', 'parks a value, on a version when asked', async (call) => {
  const first = await call('working_memory.set', { ...cursor, value: { page: 1 }, if_version: 0 })
  expect(first).toMatchObject({ key: cursor.key, created: true, version_text: first.version.toString() })
  const stale = call('working_memory.set', { ...cursor, value: { page: 2 }, if_version: 0 })
  await expect(stale).rejects.toMatchObject({ code: 'PRECONDITION_FAILED', status: 409, fields: { current_version: first.version } })
  expect(await call('working_memory.set', { ...cursor, value: { page: 2 }, if_version: first.version })).toMatchObject({ created: false })
})

onEveryTransport('working_memory.get', 'reads it', async (call) => {
  await call('working_memory.set', { ...cursor, value: { page: 9007199254740993n } })
  expect(await call('working_memory.get', cursor)).toMatchObject({ found: true, value: { page: 9007199254740993n } })
  expect(await call('working_memory.get', { ...cursor, key: 'other' })).toMatchObject({ found: false, value: null })
})

onEveryTransport('working_memory.list', 'lists values and leases', async (call) => {
  await call('working_memory.set', { ...cursor, value: 1 })
  await call('working_memory.acquire', { agent: 'bot', name: 'indexer' })
  const { entries, leases } = await call('working_memory.list', { prefix: 'import/', values: true })
  expect(entries).toMatchObject([{ key: cursor.key, agent: 'bot', value: 1, bytes: 1 }])
  expect(leases).toMatchObject([{ name: 'indexer', holder: 'bot' }])
})

onEveryTransport('working_memory.delete', 'drops it', async (call) => {
  await call('working_memory.set', { ...cursor, value: 1 })
  expect(await call('working_memory.delete', cursor)).toEqual({ found: true, deleted: true })
  expect(await call('working_memory.delete', cursor)).toEqual({ found: false, deleted: false })
})

onEveryTransport('working_memory.acquire', 'gives a lease to one at a time', async (call) => {
  const first = await call('working_memory.acquire', { agent: 'one', name: 'indexer' })
  expect(first).toMatchObject({ acquired: true, held_by: null })
  expect(await call('working_memory.acquire', { agent: 'two', name: 'indexer' })).toMatchObject({
    acquired: false,
    fence: null,
    held_by: { agent: 'one' },
  })
  expect(await call('working_memory.acquire', { agent: 'one', name: 'indexer', lease_id: first.lease_id ?? '' })).toMatchObject({
    fence: first.fence,
  })
})

onEveryTransport('working_memory.release', 'gives it back, for a greater fence', async (call) => {
  const first = await call('working_memory.acquire', { agent: 'one', name: 'indexer' })
  expect(await call('working_memory.release', { agent: 'one', name: 'indexer', lease_id: first.lease_id ?? '' })).toEqual({
    released: true,
  })
  const next = await call('working_memory.acquire', { agent: 'two', name: 'indexer' })
  expect([next.acquired, (next.fence ?? 0n) > (first.fence ?? 0n)]).toEqual([true, true])
})

onEveryTransport('decision.record', 'stores a decision, in place of an earlier one', async (call) => {
  await call('decision.record', { title: 'Queue', decision: 'Jobs go through RabbitMQ.', memory_key: 'queue/old' })
  const made = await call('decision.record', { title: 'Job queue', decision: 'Jobs go through Postgres.', supersedes: 'queue/old' })
  expect(made).toMatchObject({ memory_key: 'decision/job-queue', status: 'active', superseded: { memory_key: 'queue/old' } })
})

onEveryTransport('learning.record', 'stores a lesson that waits for a person', async (call) => {
  const made = await call('learning.record', { lesson: 'Ladders slip on wet tiles.', evidence: ['no/such/key'] })
  expect(made).toMatchObject({ memory_key: 'learning/ladders-slip-on-wet-tiles', review: 'pending', status: 'active' })
  expect(made.advisories).toHaveLength(1)
})

onEveryTransport('learning.queue', 'lists what waits', async (call) => {
  await call('learning.record', { lesson: 'Ladders slip on wet tiles.', situation: 'after rain' })
  expect(await call('learning.queue', {})).toMatchObject({
    learnings: [{ lesson: 'Ladders slip on wet tiles.', situation: 'after rain', review: 'pending' }],
    counts: { pending: 1, kept: 0, rejected: 0 },
    next_cursor: null,
  })
})

onEveryTransport('learning.decide', 'rejects it, or keeps it after all', async (call) => {
  const { memory_key } = await call('learning.record', { lesson: 'Ladders slip on wet tiles.' })
  expect(await call('learning.decide', { memory_key, decision: 'reject' })).toMatchObject({
    decided: true,
    review: 'rejected',
    status: 'rejected',
  })
  expect(await call('learning.decide', { memory_key, decision: 'keep' })).toMatchObject({ review: 'kept', status: 'active' })
  expect(await call('learning.decide', { memory_key: 'no/such/key', decision: 'keep' })).toMatchObject({
    found: false,
    reason: 'not_found',
  })
})

onEveryTransport('procedure.record', 'stores the steps of a procedure', async (call) => {
  const made = await call('procedure.record', { title: 'Drain the pump', steps: ['Stop it.', { do: 'Open the valve.', why: 'Pressure.' }] })
  expect(made).toMatchObject({ memory_key: 'procedure/drain-the-pump', retyped_from: '' })
  expect(await call('memory.get', { memory_key: made.memory_key })).toMatchObject({ memory_type: 'procedural' })
})

onEveryTransport('profile.set', 'stores an attribute of a subject', async (call) => {
  const made = await call('profile.set', { attribute: 'tone', value: { words: 'plain' }, subject: 'ada/b' })
  expect(made.memory_key).toBe('profile/ada%2Fb/tone')
  expect(await call('memory.get', { memory_key: made.memory_key })).toMatchObject({ memory_type: 'profile', value: { words: 'plain' } })
})
