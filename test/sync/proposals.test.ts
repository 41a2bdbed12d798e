import { afterAll, beforeAll, expect, it } from 'vitest'
import { openChatServer, type ChatServer } from '../helpers/chat-server.ts'
import { DEFAULT_CONFIG } from '../../shared/engine/config.ts'
import { openTeam, type Desktop, type Team } from './team.ts'

let team: Team
let chat: ChatServer
let desktop: Desktop
let other: Desktop
beforeAll(async () => {
  team = await openTeam()
  chat = await openChatServer()
  const llm = { url: chat.url, model: 'small', apiKey: '', timeoutMs: 5_000 }
  desktop = await team.desktop({ engine: { config: { ...DEFAULT_CONFIG, llm } } })
  other = await team.desktop()
})
afterAll(async () => {
  await team.close()
  await chat[Symbol.asyncDispose]()
})

const status = async (memory_key: string, of: Desktop = desktop) =>
  (await of.call('memory.get', { memory_key, include_proposed: true })).status
const onServer = async (memory_key: string) =>
  (await team.server.call(team.admin, 'memory.get', { namespace: 'chat', memory_key, agent: 'default', include_proposed: true })).status

const level = () => team.agree([desktop, other])

it('a proposal made offline is one on the server, and its decision is replayed there [PRO001, PRO002]', async () => {
  desktop.wire.mode = 'cut'
  await desktop.call('memory.set', { memory_key: 'gate', value: 'The gate opens at seven.', proposed: true })
  await desktop.call('memory.set', { memory_key: 'parrot', value: 'The parrot is called Igor.', proposed: true })
  desktop.wire.mode = 'open'
  await level()
  expect([await onServer('gate'), await status('gate', other)]).toEqual(['proposed', 'proposed'])
  expect((await other.call('memory.proposals', {})).total).toBe(2)
  expect(await other.call('memory.proposal_decide', { memory_key: 'gate', decision: 'accept' })).toMatchObject({ decided: true })
  await desktop.call('memory.proposal_decide', { memory_key: 'parrot', decision: 'reject' })
  await level()
  expect([await onServer('gate'), await status('gate'), await onServer('parrot'), await status('parrot', other)]).toEqual([
    'active',
    'active',
    'rejected',
    'rejected',
  ])
  expect((await desktop.call('sync.inbox', {})).items).toEqual([])
})

it('one on a key that holds a fact by now is refused there, and the desktop is told [PRO007]', async () => {
  desktop.wire.mode = 'cut'
  await desktop.call('memory.set', { memory_key: 'lead', value: 'Ada leads the team.', proposed: true })
  await other.call('memory.set', { memory_key: 'lead', value: 'Grace leads the team.' })
  await team.settle(other)
  desktop.wire.mode = 'open'
  await level()
  expect([await onServer('lead'), await status('lead')]).toEqual(['active', 'active'])
  const { items } = await desktop.call('sync.inbox', {})
  expect(items).toMatchObject([{ memory_key: 'lead', code: 'KEY_HOLDS_FACT', mine: { value: 'Ada leads the team.' } }])
  await desktop.call('sync.inbox_decide', { item_id: items[0]?.item_id ?? '', choice: 'accept' })
})

it('two that met at the server stay on trial, and every device has the same', async () => {
  for (const one of [desktop, other]) one.wire.mode = 'cut'
  await desktop.call('memory.set', { memory_key: 'tea', value: 'Tea is served at four.', proposed: true })
  await other.call('memory.set', { memory_key: 'tea', value: 'Tea is served at five.', proposed: true })
  for (const one of [desktop, other]) one.wire.mode = 'open'
  await level()
  expect([await onServer('tea'), await status('tea'), await status('tea', other)]).toEqual(['proposed', 'proposed', 'proposed'])
  const history = await team.server.call(team.admin, 'memory.history', { namespace: 'chat', memory_key: 'tea', agent: 'default' })
  expect(history['rows']).toHaveLength(2)
})

it('trials of a team are decided by its server [PRO012]', async () => {
  await team.server.call(team.admin, 'namespace.register', { namespace: 'chat', proposal_policy: { mode: 'auto', min_passes: 1 } })
  await level()
  await desktop.call('memory.set', { memory_key: 'lamp', value: 'The lamps are brass.', proposed: true })
  await desktop.call('run.complete', { run_id: 'r1', status: 'completed', memories_used: ['lamp'], agent: 'default' })
  const graded = await desktop.call('run.grade', { run_id: 'r1', grade: 'pass' })
  expect(graded.trials).toEqual([{ memory_key: 'lamp', passes: 1, fails: 0, decision: 'open' }])
  expect(await status('lamp')).toBe('proposed')
  await level()
  expect([await onServer('lamp'), await status('lamp'), await status('lamp', other)]).toEqual(['active', 'active', 'active'])
})

it('what a desktop extracts goes to the server fact by fact, and is not extracted twice [EXT001]', async () => {
  chat.reply = () => ({ facts: [{ key: 'roof/state', value: 'The roof was mended.', quote: 'The roof was mended' }] })
  const messages = [{ role: 'user' as const, content: 'The roof was mended.' }]
  const answer = await desktop.call('memory.set_from_messages', { messages, judge_extraction: false })
  expect(answer.written).toMatchObject([{ memory_key: 'roof/state' }])
  expect((await desktop.call('sync.status', {})).queued).toBe(1)
  await level()
  expect(chat.asked).toHaveLength(1)
  expect(await desktop.call('memory.set_from_messages', { messages, defer: true })).toMatchObject({ deferred: true })
  expect((await desktop.call('sync.status', {})).queued).toBe(0)
  const row = await team.server.call(team.admin, 'memory.get', { namespace: 'chat', memory_key: 'roof/state', agent: 'default' })
  expect(row).toMatchObject({ found: true, source_class: 'derived', value: 'The roof was mended.' })
})
