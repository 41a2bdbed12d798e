import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CallInputOf } from '../../shared/contract/registry.ts'
import { openTeam, type Desktop, type Team } from './team.ts'

let team: Team
let desktop: Desktop
let now = Date.parse('2026-11-30T12:00:00Z')
beforeAll(async () => {
  team = await openTeam()
  desktop = await team.desktop({ engine: { clock: () => now } })
})
afterAll(() => team.close())

const onServer = (run_id: string) => team.server.call(team.admin, 'run.get', { namespace: 'chat', run_id })

it('replays a run on the server, by the clock of its device, and what it retains is made there', async () => {
  now = Date.now() - 60_000
  desktop.wire.mode = 'cut'
  const { run_id } = await desktop.call('run.start', { goal: 'Mend the roof.', agent: 'bot' })
  await desktop.call('memory.set', { memory_key: 'roof', value: 'The roof was mended in May.', run_id })
  await desktop.call('run.event', { run_id, agent: 'bot', events: [{ kind: 'note', name: 'ladder' }, { kind: 'tool_call' }] })
  now += 30_000
  const end: CallInputOf<'run.complete'> = {
    run_id,
    status: 'completed',
    memories_used: ['roof'],
    outcome: 'positive',
    retain: 'demote',
    final_response: 'Done.',
  }
  expect(await desktop.call('run.complete', end)).toMatchObject({ created: false, retained: { demoted: 1 } })
  expect(await desktop.call('run.complete', end)).toMatchObject({ noop: true })
  await desktop.call('run.grade', { run_id, grade: 'pass' })
  expect((await desktop.call('sync.status', {})).queued).toBe(5)
  desktop.wire.mode = 'open'
  await team.settle(desktop)
  expect((await desktop.call('sync.status', {})).queued).toBe(0)
  expect(await onServer(run_id)).toMatchObject({
    found: true,
    agent: 'bot',
    goal: 'Mend the roof.',
    status: 'completed',
    started_at: new Date(now - 30_000).toISOString(),
    completed_at: new Date(now).toISOString(),
    duration_ms: 30_000,
    grade: 'pass',
    events: 2,
    tool_calls: 1,
    memories_written: 1,
    final_response: 'Done.',
  })
  const server = await team.server.call(team.admin, 'memory.get', { namespace: 'chat', memory_key: 'roof', agent: 'default' })
  expect(server).toMatchObject({ confidence: 0.5, acted_count: 1 })
  expect(await desktop.heads()).toEqual(await team.heads())
  expect((await desktop.call('sync.inbox', {})).items).toEqual([])
})

it('sends what an outcome of a run told of each memory', async () => {
  await desktop.call('memory.set', { memory_key: 'gutter', value: 'The gutter is copper.' })
  await desktop.call('run.complete', { run_id: 'told', status: 'completed', memories_used: ['roof', 'gutter'] })
  await team.settle(desktop)
  expect(await desktop.call('memory.outcome_run', { run_id: 'told', outcome: 'negative' })).toMatchObject({ recorded: 2 })
  expect((await desktop.call('sync.status', {})).queued).toBe(2)
  await team.settle(desktop)
  for (const memory_key of ['roof', 'gutter'])
    expect(await team.server.call(team.admin, 'memory.get', { namespace: 'chat', memory_key, agent: 'default' })).toMatchObject({
      harm_count: 1,
    })
})

it('keeps working memory and the ledger on their host', async () => {
  await desktop.call('working_memory.set', { key: 'cursor', value: 1 })
  await desktop.call('working_memory.acquire', { name: 'indexer' })
  expect((await desktop.call('sync.status', {})).queued).toBe(0)
  await desktop.sync()
  expect(await team.server.call(team.admin, 'working_memory.list', { namespace: 'chat' })).toMatchObject({ entries: [], leases: [] })
})

it('replays what builds its own key, with the verdict of the server and what it does besides', async () => {
  const old = await desktop.call('decision.record', { title: 'Queue', decision: 'Jobs go through RabbitMQ.', memory_key: 'queue/old' })
  await team.settle(desktop)
  const made = await desktop.call('decision.record', { title: 'Job queue', decision: 'Jobs go through Postgres.', supersedes: 'queue/old' })
  expect(made.superseded).toEqual({ memory_key: 'queue/old', memory_id: old.memory_id })
  await desktop.call('learning.record', { lesson: 'Wet tiles are slippery.', memory_key: 'tiles', evidence: ['roof'] })
  await desktop.call('procedure.record', { title: 'Drain the pump', steps: ['Stop it.', { do: 'Open the valve.' }] })
  await desktop.call('profile.set', { attribute: 'tone', value: 'plain', built_from: ['roof'] })
  await desktop.call('learning.decide', { memory_key: 'tiles', decision: 'reject' })
  expect((await desktop.call('sync.status', {})).queued).toBe(5)
  await team.settle(desktop)
  expect((await desktop.call('sync.status', {})).queued).toBe(0)
  expect((await desktop.call('sync.inbox', {})).items).toEqual([])
  const heads = await team.heads()
  expect(await desktop.heads()).toEqual(heads)
  const statuses = Object.fromEntries([...heads.values()].map((head) => [head['memory_key'], head['status']]))
  expect(statuses).toMatchObject({
    'queue/old': 'superseded',
    'decision/job-queue': 'active',
    tiles: 'rejected',
    'procedure/drain-the-pump': 'active',
    'profile/default/tone': 'active',
  })
  expect(await team.server.call(team.admin, 'learning.queue', { namespace: 'chat', review: 'rejected' })).toMatchObject({
    learnings: [{ lesson: 'Wet tiles are slippery.', evidence: ['roof'] }],
  })
})

it('keeps both decisions of one key that did not know of each other', async () => {
  const key = 'decision/paint'
  await desktop.call('decision.record', { title: 'Paint', decision: 'The fence is green.' })
  await team.settle(desktop)
  desktop.wire.mode = 'cut'
  await desktop.call('decision.record', { title: 'Paint', decision: 'The fence is blue.', tags: ['home'] })
  await team.server.call(team.admin, 'decision.record', {
    namespace: 'chat',
    agent: 'default',
    title: 'Paint',
    decision: 'The fence is red.',
  })
  desktop.wire.mode = 'open'
  await team.settle(desktop)
  expect(await desktop.heads()).toEqual(await team.heads())
  const history = (await team.server.call(team.admin, 'memory.history', {
    namespace: 'chat',
    agent: 'default',
    memory_key: key,
    values: true,
  })) as {
    rows: { value: { decision: string } }[]
  }
  const said = history.rows.map((row) => row.value.decision)
  for (const text of ['The fence is green.', 'The fence is blue.', 'The fence is red.']) expect(said).toContain(text)
})
