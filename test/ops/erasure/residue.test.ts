import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { DEFAULT_ERASURE } from '../../../shared/engine/erasure/config.ts'
import { memoryObjects } from '../../../shared/engine/objects/object-store.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN, ORG } from './people.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

// A purge goes through every table.
vi.setConfig({ testTimeout: 120_000 })

/** What a census finds when something stays, or cannot be counted. */

let loom: TestEngine
const objects = memoryObjects()
const lines: string[] = []
let now = Date.UTC(2026, 8, 20, 12)
beforeAll(async () => {
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  loom = await openTestEngine({
    host: 'server',
    mode: 'multi',
    models: NO_MODELS,
    clock: () => now,
    config: { rates: UNLIMITED, erasure: { ...DEFAULT_ERASURE, waitSeconds: 300 } },
    log,
    objects,
  })
})
afterAll(() => loom.close())

const run = (text: string) => sql.raw(text).execute(loom.database.reader)
const at = (user_id: string) => ({ org: ORG, namespace: 'chat', agent: 'scribe', user_id })
const set = (user_id: string, memory_key: string) =>
  loom.call('memory.set', { ...at(user_id), memory_key, value: `${user_id} said ${memory_key}.` }, ADMIN)
const request = (scope_value: string) =>
  loom.call('erasure.request', { org: ORG, scope_type: 'user_id', scope_value, requester: 'dpo', purge: true }, ADMIN)
const status = (erasure_id: string) => loom.call('erasure.status', { erasure_id }, ADMIN)

/** Rows of a table that nobody can delete, as a broken trigger would have it. */
async function stuck<T>(tables: readonly string[], work: () => Promise<T>): Promise<T> {
  await run(`CREATE OR REPLACE FUNCTION loom.stay() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RETURN NULL; END $f$`)
  for (const table of tables) await run(`CREATE TRIGGER stay BEFORE DELETE ON loom.${table} FOR EACH ROW EXECUTE FUNCTION loom.stay()`)
  try {
    return await work()
  } finally {
    for (const table of tables) await run(`DROP TRIGGER stay ON loom.${table}`)
  }
}

it('[ERA053] [ERA059] [ERA061] [ERA062] [ERA071] [ERA073] [ERA087] what stays is counted by store, named in the reason, and recovery takes it when it can', async () => {
  await set('u-1', 'a')
  await set('u-1', 'b')
  await loom.call('working_memory.set', { ...at('u-1'), key: 'cursor', value: 1 }, ADMIN)
  const answer = await stuck(['memory', 'working_memory'], () => request('u-1'))
  expect(answer).toMatchObject({ status: 'failed', residue_count: 3, residue: { 'pg:memory': 2, 'pg:working_memory': 1 } })
  expect(Object.values(answer.residue).every((left) => left > 0)).toBe(true)
  expect(answer.failure_reason).toMatch(/^verify\.residue: ErasureResidueError: residue after erasure: /)
  expect(answer.failure_reason).toContain('pg:memory=2')
  expect(answer.census).toMatchObject({ 'pg:memory': 2, 'pg:working_memory': 1, 'pg:run': 0 })
  expect(answer.verified_at).toMatch(/Z$/)
  expect(answer.steps_completed).not.toContain('delete.memory')
  expect(answer.steps_completed).toContain('delete.knowledge')
  expect(await status(answer.erasure_id)).toMatchObject({
    status: 'failed',
    residue: answer.residue,
    residue_count: 3,
    failure_reason: answer.failure_reason,
  })
  now += 2 * 60_000
  await loom.engine.runDueJobs(new Date(now))
  expect(await status(answer.erasure_id)).toMatchObject({ status: 'completed', residue: {}, residue_count: 0, failure_reason: null })
})

it('[ERA063] [ERA059] an original that stays is counted under its own name', async () => {
  await loom.call('knowledge.add', { ...at('u-2'), document_key: 'doc', text: '# Doc\n\nOf u-2.' }, ADMIN)
  const { remove } = objects
  objects.remove = async () => {}
  const answer = await request('u-2')
  objects.remove = remove
  expect(answer).toMatchObject({ status: 'failed', residue: { 'objects.document_originals': 1 }, residue_count: 1 })
  now += 2 * 60_000
  await loom.engine.runDueJobs(new Date(now))
  expect((await status(answer.erasure_id)).census).toMatchObject({ 'objects.document_originals': 0 })
})

it('[ERA065] [ERA066] [ERA069] [ERA088] [ERA089] a store that cannot be counted is named in the log; the rest is told, and the saga fails', async () => {
  await set('u-3', 'a')
  const { list } = objects
  const answer = await stuck(['memory'], async () => {
    let looks = 0
    // The step finds nothing to remove; the census is refused.
    objects.list = async (folder) => {
      if (looks++ === 0) return list(folder)
      throw new Error('the volume is away')
    }
    return request('u-3')
  })
  objects.list = list
  expect(answer).toMatchObject({ status: 'failed', verified_at: null, census: null, residue: { 'pg:memory': 1 } })
  expect(answer.failure_reason).toMatch(/^verify\.residue: UNAVAILABLE: objects\.document_originals could not be counted$/)
  expect(lines.some((line) => line.includes('objects.document_originals'))).toBe(true)
  expect(await status(answer.erasure_id)).toMatchObject({ verified_at: null, census: null, residue: { 'pg:memory': 1 } })
  now += 2 * 60_000
  await loom.engine.runDueJobs(new Date(now))
  expect(await status(answer.erasure_id)).toMatchObject({ status: 'completed' })
})
