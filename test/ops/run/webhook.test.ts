import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { CallInputOf, OpName, OutputOf } from '../../../shared/contract/registry.ts'
import { ADMIN } from '../../helpers/push.ts'
import { CHAT, openTeam, queued, type Team } from '../../helpers/webhooks.ts'

let team: Team
beforeAll(async () => {
  team = await openTeam()
  await team.hook()
})
afterAll(() => team.close())

const clear = async (): Promise<void> => {
  team.clock.now += 1000
  await team.loom.database.reader.deleteFrom('memory_webhook_outbox').where('org', '=', 'acme').execute()
}
beforeEach(clear)

const call = <N extends OpName>(op: N, input: CallInputOf<N>): Promise<OutputOf<N>> => team.loom.call(op, input, { ...ADMIN, fills: CHAT })
const told = async (): Promise<string[]> => (await queued(team)).map(({ type, memory_key }) => `${type} ${memory_key}`)

it.each(['demote', 'expire'] as const)('a run’s retention (%s) is told as revised, once a row [CHG049, WHK021]', async (retain) => {
  const run_id = `r-${retain}`
  await team.set(`${retain}/a`, `The ${retain} lamp is brass.`, { run_id })
  await team.set(`${retain}/b`, `Stairs of ${retain} creak.`, { run_id })
  await clear()
  const end: CallInputOf<'run.complete'> = { run_id, status: 'completed', retain, memories_used: [`${retain}/a`], outcome: 'positive' }
  await call('run.complete', end)
  expect((await told()).sort()).toEqual([`memory.revised ${retain}/a`, `memory.revised ${retain}/b`])
  await call('run.complete', end)
  expect(await told()).toHaveLength(2)
})

it('a run that keeps is not told, nor its start, its events, its grade, an outcome or a quarantine [WHK052, WHK056]', async () => {
  await team.set('kept', 'The boiler is new.', { run_id: 'keeper' })
  await clear()
  await call('run.start', { run_id: 'keeper' })
  await call('run.event', { run_id: 'keeper', events: [{ kind: 'note' }] })
  await call('run.complete', { run_id: 'keeper', status: 'completed', memories_used: ['kept'] })
  await call('run.grade', { run_id: 'keeper', grade: 'pass' })
  await call('memory.outcome_run', { run_id: 'keeper', outcome: 'negative' })
  for (const run_id of ['second', 'third'])
    await call('run.complete', { run_id, status: 'failed', memories_used: ['kept'], outcome: 'negative' })
  expect(await call('memory.get', { memory_key: 'kept' })).toMatchObject({ status: 'rejected' })
  await call('working_memory.set', { key: 'cursor', value: 1 })
  await call('working_memory.delete', { key: 'cursor' })
  expect(await told()).toEqual([])
})

it('what agents observed is not told, nor what is made of it when its day is over [WHK046]', async () => {
  const run_id = 'watcher'
  await call('run.start', { run_id, goal: 'Watch the pump.' })
  const summary = 'The pump rattles when the valve is half open.'
  await call('run.event', {
    run_id,
    events: [
      { kind: 'note', summary },
      { kind: 'file_read', files: ['pump.log'] },
    ],
  })
  await call('conversation.append', { thread_id: 'pump', messages: [{ role: 'user', content: summary }] })
  await call('run.complete', { run_id, status: 'completed', final_response: summary, reflection: 'Open the valve fully.' })
  const rows = async () => (await call('memory.list', { with_total: true })).total
  const before = await rows()
  for (let day = 0; day < 3; day++) await team.pass(86_400)
  expect(await call('run.get', { run_id })).toMatchObject({
    reflection: 'Open the valve fully.',
    event_list: expect.arrayContaining([expect.objectContaining({ summary })]),
  })
  expect((await call('memory.digests', { period: 'day' })).digests).not.toEqual([])
  expect(await rows()).toBe(before)
  expect(await told()).toEqual([])
  // The webhook listens.
  await team.set('pump', summary)
  expect(await told()).toEqual(['memory.written pump'])
})

it('decisions, learnings, procedures and profiles are told as memory.set is [WHK036]', async () => {
  const told2 = async (run: () => Promise<unknown>) => {
    await clear()
    await run()
    return told()
  }
  const decision = (text: string, more: object = {}) => call('decision.record', { title: 'Lamps', decision: text, ...more })
  expect(await told2(() => decision('Brass ones.'))).toEqual(['memory.written decision/lamps'])
  expect(await told2(() => decision('Iron ones.'))).toEqual(['memory.revised decision/lamps'])
  expect(await told2(() => decision('Iron ones.'))).toEqual([])
  // The one whose place it takes is not told of.
  expect(await told2(() => decision('No lamps.', { memory_key: 'decision/none', supersedes: 'decision/lamps' }))).toEqual([
    'memory.written decision/none',
  ])
  expect(await told2(() => call('learning.record', { lesson: 'Wet tiles are slippery.', memory_key: 'l' }))).toEqual(['memory.written l'])
  expect(await told2(() => call('learning.decide', { memory_key: 'l', decision: 'reject' }))).toEqual([])
  expect(await told2(() => call('learning.decide', { memory_key: 'l', decision: 'keep' }))).toEqual([])
  expect(await told2(() => call('procedure.record', { title: 'Drain', steps: ['Stop the pump.'] }))).toEqual([
    'memory.written procedure/drain',
  ])
  expect(await told2(() => call('profile.set', { attribute: 'tone', value: 'plain' }))).toEqual(['memory.written profile/scribe/tone'])
})
