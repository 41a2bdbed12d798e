import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import type { Caller } from '../../../shared/engine/caller.ts'
import type { ExternalEraser } from '../../../shared/engine/erasure/external/eraser.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { ADMIN, caller, CHAT_ADMIN, CHAT_VIEWER, OPS_ADMIN, ORG } from './people.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

// A purge goes through every table.
vi.setConfig({ testTimeout: 120_000 })

/** Sagas that run, wait and fail: what status and list tell of them, and to whom. */

let loom: TestEngine
let gate: { hold: Promise<void>; open: () => void }
let fault: unknown = null
let asked: string[] = []
let now = Date.UTC(2026, 8, 20, 12)
function newGate(): typeof gate {
  let open = (): void => {}
  const hold = new Promise<void>((resolve) => (open = resolve))
  return { hold, open }
}
const eraser: ExternalEraser = {
  name: 'traces',
  async erase(call) {
    asked.push(`${call.tag}|${call.namespace}|${call.user_id}|${call.purge}`)
    await gate.hold
    if (fault !== null) throw fault
    return { affected: 2 }
  },
}
const erasure = { waitSeconds: 0, maxAttempts: 3, exportConversationMaxBytes: 1000, vacuumFull: false }
beforeAll(async () => {
  loom = await openTestEngine({
    host: 'server',
    mode: 'multi',
    models: NO_MODELS,
    clock: () => now,
    config: { rates: UNLIMITED, erasure },
    erasure: { erasers: [eraser] },
  })
  for (const namespace of ['chat', 'ops'])
    await loom.call('memory.set', { org: ORG, namespace, agent: 'a', memory_key: 'k', value: `Kept in ${namespace}.` }, ADMIN)
})
afterAll(async () => {
  gate.open()
  await loom.close()
})
beforeEach(() => {
  gate = newGate()
  fault = null
  asked = []
  now += 1000
})

type Request = CallInputOf<'erasure.request'>
const request = (more: Partial<Request> = {}, by: Partial<Caller> = ADMIN) =>
  loom.call('erasure.request', { org: ORG, scope_type: 'user_id', scope_value: 'u-1', requester: 'dpo@acme.example', ...more }, by)
const status = (erasure_id: string, by: Partial<Caller> = ADMIN) => loom.call('erasure.status', { erasure_id }, by)
const list = (more: Partial<CallInputOf<'erasure.list'>> = {}, by: Partial<Caller> = ADMIN) =>
  loom.call('erasure.list', { org: ORG, ...more }, by)

async function until(erasure_id: string, state: string): Promise<Awaited<ReturnType<typeof status>>> {
  for (let look = 0; look < 400; look++) {
    const told = await status(erasure_id)
    if (told.status === state) return told
    await new Promise((done) => setTimeout(done, 25))
  }
  throw new Error(`the erasure never was ${state}`)
}
async function run(more: Partial<Request> = {}): Promise<Awaited<ReturnType<typeof status>>> {
  gate.open()
  return until((await request(more)).erasure_id, 'completed')
}
async function failing(error: unknown, more: Partial<Request> = {}): Promise<Awaited<ReturnType<typeof status>>> {
  fault = error
  gate.open()
  return until((await request(more)).erasure_id, 'failed')
}
const store = (set: ReturnType<typeof sql>, erasure_id: string) =>
  sql`UPDATE loom.erasure_saga SET ${set} WHERE erasure_id = ${erasure_id}`.execute(loom.database.reader)
async function recover(minutes: number): Promise<void> {
  now += minutes * 60_000
  await loom.engine.runDueJobs(new Date(now))
}

it('[ERA047] [ERA048] [ERA050] [ERA051] [ERA055] [ERA075] [ERA076] [ERA079] [ERA080] [ERA081] [ERA082] [ERA083] [ERA089] a saga is told while it runs and when it ended', async () => {
  const answer = await request({ urgency: 'urgent' })
  expect(answer).toMatchObject({ status: 'in_progress', completed_at: null, census: null, verified_at: null, failure_reason: '' })
  const running = await status(answer.erasure_id)
  expect(running).toMatchObject({
    found: true, erasure_id: answer.erasure_id, org: ORG, scope_type: 'user_id', scope_value: 'u-1', requester: 'dpo@acme.example', status: 'in_progress',
    completed_at: null, failure_reason: null, census: null, verified_at: null, residue: {}, residue_count: 0, purge: false, requested_at: answer.requested_at,
  }) // prettier-ignore
  expect(running.current_step).toBeGreaterThanOrEqual(1)
  expect(running.current_step).toBeLessThan(19)
  const clash = await refused(request(), 'IN_PROGRESS')
  expect(clash.fields).toMatchObject({ erasure_id: answer.erasure_id })
  gate.open()
  const ended = await until(answer.erasure_id, 'completed')
  expect(ended).toMatchObject({ current_step: 99, failure_reason: null, residue: {}, residue_count: 0 })
  expect(ended.completed_at).toMatch(/^2026-09-20T12.*Z$/)
  expect(ended.verified_at).toMatch(/^2026-09-20T12.*Z$/)
  expect(Object.keys(ended.census ?? {})).toEqual(
    expect.arrayContaining(['pg:memory', 'pg:run', 'objects.document_originals', 'index.hot']),
  )
  expect(asked).toEqual(['loom:acme:chat:u-1|chat|u-1|false', 'loom:acme:ops:u-1|ops|u-1|false'])
})

it('[ERA047] [ERA048] [ERA055] external erasers run once a namespace of the scope, and not where external is false', async () => {
  gate.open()
  const { erasure_id } = await request({ external: false })
  await until(erasure_id, 'completed')
  expect(asked).toEqual([])
  await run({ scope_type: 'namespace_list', scope_value: '["ops","never-seen"]', purge: true })
  expect(asked).toEqual(['loom:acme:never-seen|never-seen||true', 'loom:acme:ops|ops||true'])
})

it('[ERA049] [ERA053] [ERA065] [ERA069] [ERA071] [ERA072] [ERA084] [ERA088] an eraser that throws fails the saga closed, and its message is told to nobody', async () => {
  const told = await failing(new TypeError('the secret of u-1'))
  expect(told).toMatchObject({ failure_reason: 'external.erasers: TypeError', verified_at: null, census: null, residue: {} })
  expect(told.completed_at).toMatch(/Z$/)
  expect(JSON.stringify(told)).not.toContain('the secret')
  const { LoomError } = await import('../../../shared/contract/errors.ts')
  const coded = await failing(new LoomError('UNAVAILABLE', 'Traces are away.'))
  expect(coded.failure_reason).toBe('external.erasers: UNAVAILABLE: Traces are away.')
})

it('[ERA054] [ERA056] recovery takes it up when its wait is over, passes over what is done, and completes it', async () => {
  const { erasure_id } = await failing(new Error('away'))
  fault = null
  await recover(0.5)
  expect((await status(erasure_id)).status).toBe('failed')
  await recover(1)
  expect(await status(erasure_id)).toMatchObject({ status: 'completed', failure_reason: null, current_step: 99 })
  const row = (await list()).rows.find((one) => one.erasure_id === erasure_id)
  expect(row).toMatchObject({ attempts: 2, status: 'completed' })
  const { stepResults } = await import('../../../shared/engine/erasure/saga-view.ts')
  const { sagaById, stepsOf } = await import('../../../shared/engine/erasure/sagas.ts')
  const saga = await sagaById(loom.database.reader, erasure_id, ORG)
  if (!saga) throw new Error('no saga')
  const steps = stepResults(saga, await stepsOf(loom.database.reader, ORG, erasure_id))
  expect(steps.find(({ step }) => step === 'delete.memory')).toEqual({
    step: 'delete.memory',
    rows_affected: 0,
    note: 'skipped: done by attempt 1',
    stores: {},
  })
  expect(steps.find(({ step }) => step === 'external.erasers')).toMatchObject({ note: '', rows_affected: 4 })
})

it('[ERA085] after the attempts that it may have it is given up, and says so with the last reason', async () => {
  const { erasure_id } = await failing(new RangeError('away'))
  for (let attempt = 0; attempt < 6; attempt++) await recover(61)
  expect(await status(erasure_id)).toMatchObject({
    status: 'failed',
    failure_reason: 'max_attempts (3) exceeded; last: external.erasers: RangeError',
  })
  expect((await list()).rows.find((row) => row.erasure_id === erasure_id)?.attempts).toBe(3)
  fault = null
  await recover(600)
  expect((await status(erasure_id)).status).toBe('failed')
  // A crash leaves no reason.
  await store(sql`status = 'in_progress', failure_reason = '', next_attempt_at = NULL, lease_until = NULL`, erasure_id)
  await recover(1)
  expect(await status(erasure_id)).toMatchObject({ status: 'failed', failure_reason: 'max_attempts (3) exceeded' })
})

it('[ERA086] [ERA089] a reason of another build is not shown, and a row without a census has none', async () => {
  const { erasure_id } = await run()
  await store(sql`status = 'failed', failure_reason = 'Kaputt! psql: value "u-1 drinks tea"', census = NULL`, erasure_id)
  expect(await status(erasure_id)).toMatchObject({ failure_reason: 'the saga failed; the error is in the server log', census: null })
})

it('[ERA023] [ERA024] [ERA077] [ERA078] [WHK079] who may not read a saga is answered as of one that is not there', async () => {
  const ofUser = await run()
  const ofChat = await run({ scope_type: 'namespace', scope_value: 'chat' })
  const counted = async () => (await sql<{ n: number }>`SELECT count(*)::int AS n FROM loom.audit`.execute(loom.database.reader)).rows[0]?.n
  const before = await counted()
  const unknown = await status('er_none', CHAT_VIEWER)
  expect(unknown).toEqual({
    found: false, erasure_id: 'er_none', org: null, scope_type: null, scope_value: null, requester: null, status: null, current_step: null, requested_at: null,
    completed_at: null, failure_reason: null, residue_count: 0, residue: {}, verified_at: null, census: null, purge: false, devices_pending: [], receipts: [],
  }) // prettier-ignore
  const hidden: [string, Partial<Caller>][] = [
    [ofUser.erasure_id, CHAT_ADMIN], [ofChat.erasure_id, OPS_ADMIN], [ofChat.erasure_id, caller({ chat: 'admin' }, { user_id: 'u-1' })],
    [ofUser.erasure_id, caller({ '*': 'org_admin' }, { org: 'globex' })], [ofUser.erasure_id, caller({ '*': 'platform_admin' }, { org: '*' })],
  ] // prettier-ignore
  for (const [erasure_id, by] of hidden) expect(await status(erasure_id, by)).toEqual({ ...unknown, erasure_id })
  expect(await status(ofChat.erasure_id, CHAT_VIEWER)).toMatchObject({ found: true, devices_pending: [], receipts: [] })
  expect((await list({}, CHAT_VIEWER)).rows.map((row) => row.erasure_id)).toEqual([ofChat.erasure_id])
  expect((await list({}, CHAT_VIEWER)).rows[0]?.devices_pending).toBeNull()
  expect((await list({}, OPS_ADMIN)).rows).toEqual([])
  expect((await list({}, caller({ chat: 'viewer' }, { own_session: true }))).rows).toEqual([])
  expect((await list()).rows.map((row) => row.erasure_id)).toEqual(expect.arrayContaining([ofUser.erasure_id, ofChat.erasure_id]))
  expect((await list()).rows[0]?.devices_pending).toBe(0)
  expect(await counted()).toBe(before)
})

it('[ERA080] [ERA090] scope kinds and what a saga does are told; one of a single namespace always stamps', async () => {
  const kinds = [
    [{ scope_type: 'user_id', scope_value: 'u-2', purge: true }, true],
    [{ scope_type: 'namespace', scope_value: 'ops', purge: true }, false],
    [{ scope_type: 'namespace_list', scope_value: '["ops"]' }, false],
  ] as const
  for (const [scope, purge] of kinds)
    expect(await run(scope)).toMatchObject({ scope_type: scope.scope_type, scope_value: scope.scope_value, purge })
})

it('[ERA022] [ERA025] [ERA026] [ERA027] the list is newest first, filtered, and never longer than 500', async () => {
  await sql`INSERT INTO loom.erasure_saga (org, erasure_id, seq, scope_type, scope_value, requester, purge, status, requested_at)
    SELECT ${ORG}, 'er_old_' || n, 0, 'user_id', 'x', 'dpo', false, CASE n % 3 WHEN 0 THEN 'failed' ELSE 'completed' END, '2020-01-01'::timestamptz + n * interval '1 second'
    FROM generate_series(1, 510) n`.execute(loom.database.reader)
  expect((await list()).rows.length).toBe(50)
  const all = (await list({ limit: 1000 })).rows
  expect(all.length).toBe(500)
  const times = all.map((row) => row.requested_at)
  expect(times).toEqual(times.toSorted().toReversed())
  for (const state of ['completed', 'failed'] as const)
    expect(new Set((await list({ status: state, limit: 500 })).rows.map((row) => row.status))).toEqual(new Set([state]))
  expect((await list({ status: 'in_progress' })).rows).toEqual([])
  expect((await list({ status: null })).rows.length).toBe(50)
  await refused(list({ status: 'queued' as never }), 'INVALID_ARGUMENT')
  await refused(list({ limit: 0 }), 'INVALID_ARGUMENT')
  const nowhere = loom.call('erasure.list', {}, caller({ '*': 'platform_admin' }, { org: '*' }))
  expect((await refused(nowhere, 'MISSING_IDENTITY_FIELD')).fields).toMatchObject({ field: 'org' })
})
