import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestEngine } from '../helpers/engine.ts'
import { localClaims } from '../../shared/engine/caller.ts'
import { openTeam, type Desktop, type Team } from './team.ts'

let team: Team
let one: Desktop
let two: Desktop
beforeAll(async () => {
  team = await openTeam()
  one = await team.desktop({ subject: 'one' })
  two = await team.desktop({ subject: 'two' })
})
afterAll(() => team.close())

/** What every host must agree on: runs but for the events that each counts, reviews, and what versions were built from. */
async function held(loom: TestEngine): Promise<unknown> {
  const { reader } = loom.database
  const runs = await sql`SELECT to_jsonb(r) - '{events,last_seq,last_event_at}'::text[] AS run FROM loom.run r
    WHERE org = 'acme' AND NOT implicit ORDER BY run_id`.execute(reader)
  const reviews = await sql`SELECT * FROM loom.learning_review WHERE org = 'acme' ORDER BY memory_id`.execute(reader)
  const sources = await sql`SELECT memory_id, version, source_id FROM loom.memory_summary WHERE org = 'acme'
    ORDER BY memory_id, version, source_id`.execute(reader)
  return { runs: runs.rows, reviews: reviews.rows, sources: sources.rows }
}

const agree = () => team.agree([one, two], held)

it('brings a run to every desktop, whole but for its events; its grade goes back', async () => {
  await one.call('memory.set', { memory_key: 'roof', value: 'The roof was mended in May.' })
  const { run_id } = await one.call('run.start', { goal: 'Mend the roof.', agent: 'bot', metadata: { ladder: 2 } })
  const events = [
    { kind: 'tool_call' as const, files: ['roof.md'] },
    { kind: 'note' as const, name: 'wet' },
  ]
  await one.call('run.event', { run_id, agent: 'bot', events })
  const end = { run_id, agent: 'bot', status: 'completed' as const, memories_used: ['roof'], reflection: 'Dry first.' }
  await one.call('run.complete', end)
  await agree()
  expect(await two.call('run.get', { run_id })).toMatchObject({
    goal: 'Mend the roof.',
    status: 'completed',
    metadata: { ladder: 2 },
    memories_used: ['roof'],
    reflection: 'Dry first.',
    events: 2,
    tool_calls: 1,
    files: ['roof.md'],
    event_list: [],
  })
  expect((await two.call('run.list', { memory_key: 'roof' })).runs.map((run) => run.run_id)).toEqual([run_id])
  expect((await two.call('memory.evidence', { memory_keys: ['roof'] })).rows[0]?.items).toMatchObject([{ kind: 'run', ref: run_id }])
  // The same call again is known for what it is wherever it is made.
  expect(await two.call('run.complete', end)).toMatchObject({ noop: true })
  await two.call('run.grade', { run_id, grade: 'pass', reason: 'No drop.' })
  await agree()
  expect(await one.call('run.get', { run_id })).toMatchObject({ grade: 'pass', grade_reason: 'No drop.' })
})

it('goes on numbering the events that are here, and never counts fewer', async () => {
  const tell = (host: Desktop, name: string) => host.call('run.event', { run_id: 'long', agent: 'bot', events: [{ kind: 'note', name }] })
  await one.call('run.start', { run_id: 'long', agent: 'bot' })
  await tell(one, 'a')
  await agree()
  await tell(one, 'b')
  one.wire.mode = 'lose'
  await expect(one.sync()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  one.wire.mode = 'open'
  await agree()
  await tell(one, 'c')
  await agree()
  const { events, event_list } = await one.call('run.get', { run_id: 'long' })
  expect(event_list.filter((event) => event.kind === 'note').map((event) => event.name)).toEqual(['a', 'b', 'c'])
  expect(new Set(event_list.map((event) => event.seq)).size).toBe(event_list.length)
  expect(events).toBe(event_list.length)
  // What only counts is told with the next change of the run itself.
  await one.call('run.complete', { run_id: 'long', agent: 'bot', status: 'completed' })
  await agree()
  expect((await two.call('run.get', { run_id: 'long' })).events).toBe(3)
})

it('keeps a run that waits on top of what is pulled, and gives way to the one that the server refuses it for', async () => {
  one.wire.mode = two.wire.mode = 'cut'
  await one.call('run.start', { run_id: 'same', agent: 'first', goal: 'One was first.' })
  await two.call('run.start', { run_id: 'same', agent: 'second', goal: 'Two came later.' })
  one.wire.mode = 'open'
  await one.sync()
  expect((await two.call('run.get', { run_id: 'same' })).goal).toBe('Two came later.')
  two.wire.mode = 'open'
  await agree()
  expect((await two.call('run.get', { run_id: 'same' })).goal).toBe('One was first.')
  expect((await two.call('sync.inbox', {})).items).toMatchObject([{ change: 'reverted', op: 'run.start', code: 'ALREADY_EXISTS' }])
})

it('leaves the run of an MCP session where it is, also when the shape starts over', async () => {
  const mcp = { claims: localClaims('process', 'editor'), transport: 'mcp' as const, mcpSession: 'mcp:s-1', fills: { agent: 'editor' } }
  await one.loom.call('memory.set', { memory_key: 'attic', value: 'The attic is dry.' }, mcp)
  const implicit = async (host: Desktop) => (await host.call('run.list', { implicit: true })).runs.map((run) => run.run_id)
  expect(await implicit(one)).toHaveLength(1)
  await agree()
  await sql`UPDATE loom.shape_state SET handle = '', shape_offset = '-1' WHERE org = 'acme' AND shape = 'runs'`.execute(
    one.loom.database.reader,
  )
  await agree()
  expect(await implicit(one)).toHaveLength(1)
  expect(await implicit(two)).toEqual([])
  expect((await one.call('sync.status', {})).queued).toBe(0)
})

it('shows every desktop the learnings that wait, and what one decided of them', async () => {
  await one.call('learning.record', { lesson: 'Wet tiles are slippery.', memory_key: 'tiles', evidence: ['roof'] })
  await one.call('learning.record', { lesson: 'Ladders are tied at the top.', memory_key: 'ladder' })
  await agree()
  const queue = async (host: Desktop) => (await host.call('learning.queue', {})).learnings.map((learning) => learning.lesson).toSorted()
  expect(await queue(two)).toEqual(['Ladders are tied at the top.', 'Wet tiles are slippery.'])
  two.wire.mode = 'cut'
  await two.call('learning.decide', { memory_key: 'tiles', decision: 'keep', reason: 'Seen twice.' })
  await one.call('learning.decide', { memory_key: 'ladder', decision: 'reject' })
  await one.sync()
  expect(await queue(one)).toEqual(['Wet tiles are slippery.'])
  two.wire.mode = 'open'
  await agree()
  expect(await queue(one)).toEqual([])
  expect((await one.call('learning.queue', { review: 'kept' })).learnings).toMatchObject([{ lesson: 'Wet tiles are slippery.' }])
  expect((await two.call('learning.queue', { review: 'rejected' })).learnings).toMatchObject([{ lesson: 'Ladders are tied at the top.' }])
})

it('tells what a profile was built from, so that its source is redacted with it wherever that is asked', async () => {
  const made = await one.call('profile.set', { attribute: 'trade', value: 'Roofer of the May roof.', built_from: ['roof'] })
  await agree()
  const { rows } = await two.call('memory.evidence', { memory_keys: ['profile/default/trade'] })
  expect(rows[0]?.items).toMatchObject([{ kind: 'memory', ref: 'roof' }])
  await two.call('memory.set', { memory_key: 'roof', value: 'The roof was mended in June.' })
  const past = (await two.call('memory.history', { memory_key: 'roof' })).rows.at(-1)
  await two.call('memory.redact', { memory_key: 'roof', version: past?.version ?? 0n, reason: 'Not ours to keep.' })
  await agree()
  for (const host of [one, two]) {
    const history = await host.call('memory.history', { memory_key: 'profile/default/trade' })
    expect([history.memory_id, history.rows.map((row) => row.value)]).toEqual([made.memory_id, history.rows.map(() => null)])
  }
})

it('an erasure takes runs, reviews and sources from every host', async () => {
  await one.call('run.start', { run_id: 'anns', agent: 'bot', user_id: 'ann', goal: 'Ann asked for it.' })
  await one.call('learning.record', { lesson: 'Ann prefers slate.', memory_key: 'slate', user_id: 'ann' })
  await one.call('profile.set', { attribute: 'roof', value: 'Slate.', built_from: ['slate'], user_id: 'ann' })
  await agree()
  const count = async (loom: TestEngine): Promise<unknown> =>
    (
      await sql`SELECT (SELECT count(*)::int FROM loom.run WHERE user_id = 'ann') AS runs,
        (SELECT count(*)::int FROM loom.learning_review r JOIN loom.memory_version v USING (memory_id) WHERE v.user_id = 'ann') AS reviews,
        (SELECT count(*)::int FROM loom.memory_summary s JOIN loom.memory_version v USING (memory_id) WHERE v.user_id = 'ann') AS sources`.execute(
        loom.database.reader,
      )
    ).rows[0]
  for (const loom of [team.server.loom, one.loom, two.loom]) expect(await count(loom)).toEqual({ runs: 1, reviews: 1, sources: 1 })
  const request = { org: 'acme', scope_type: 'user_id', scope_value: 'ann', requester: 'dpo@acme.example', purge: true }
  expect(await team.server.call(team.admin, 'erasure.request', request)).toMatchObject({ status: 'completed' })
  await agree()
  for (const loom of [team.server.loom, one.loom, two.loom]) expect(await count(loom)).toEqual({ runs: 0, reviews: 0, sources: 0 })
  const list = (await team.server.call(team.admin, 'erasure.list', { org: 'acme' })) as { rows: { devices_pending: number }[] }
  expect(list.rows[0]?.devices_pending).toBe(0)
})
