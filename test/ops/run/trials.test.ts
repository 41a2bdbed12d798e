import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

describe('runs as evidence for a proposal', () => {
  let loom: TestEngine
  let now = Date.parse('2026-11-30T12:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ models: NO_MODELS, clock: () => now })
    await loom.call('memory.set', { memory_key: 'trial', value: 'Backups run at two.', run_id: 'proposer' })
    await loom.call('memory.set', { memory_key: 'trial', value: 'Backups run at three.', namespace: 'elsewhere' })
    // Proposing itself is another operation's.
    await sql`UPDATE loom.memory SET status = 'proposed' WHERE memory_key = 'trial'`.execute(loom.database.reader)
  })
  afterAll(() => loom.close())

  async function ended(run_id: string, more: object = {}): Promise<void> {
    now += 1000
    await loom.call('run.complete', { run_id, status: 'completed', memories_used: ['trial'], ...more })
  }
  const grade = async (run_id: string, given: 'pass' | 'fail') => (await loom.call('run.grade', { run_id, grade: given })).trials

  it('waits for a grade, and counts once it is there [PRO009]', async () => {
    now += 1000
    const answer = await loom.call('run.complete', { run_id: 'r1', status: 'completed', memories_used: ['trial'] })
    expect(answer).toMatchObject({ used: 1, used_unknown: [], awaiting_grade: ['trial'] })
    expect(await grade('r1', 'pass')).toEqual([{ memory_key: 'trial', passes: 1, fails: 0, decision: 'open' }])
    await ended('r2', { status: 'failed' })
    expect(await grade('r2', 'fail')).toEqual([{ memory_key: 'trial', passes: 1, fails: 1, decision: 'open' }])
    expect(await grade('r1', 'fail')).toMatchObject([{ passes: 0, fails: 2 }])
    expect(await grade('r1', 'pass')).toMatchObject([{ passes: 1, fails: 1 }])
  })

  it('does not count a run without a grade, of another namespace, cancelled, or before the proposal [PRO010]', async () => {
    await ended('ungraded')
    await ended('foreign', { namespace: 'elsewhere' })
    await loom.call('run.grade', { namespace: 'elsewhere', run_id: 'foreign', grade: 'pass' })
    await ended('cancelled', { status: 'cancelled' })
    expect(await grade('cancelled', 'pass')).toEqual([])
    expect(await grade('r1', 'pass')).toMatchObject([{ passes: 1, fails: 1 }])
    await sql`UPDATE loom.memory SET updated_at = ${new Date(now)} WHERE memory_key = 'trial' AND namespace = 'local'`.execute(
      loom.database.reader,
    )
    expect(await grade('r1', 'pass')).toMatchObject([{ passes: 0, fails: 0 }])
  })

  it('decides nothing under the manual policy, however many there are [PRO011]', async () => {
    for (let n = 0; n < 5; n++) {
      await ended(`many-${n}`)
      expect(await grade(`many-${n}`, 'pass')).toMatchObject([{ passes: n + 1, decision: 'open' }])
    }
    const { rows } = await loom.call('memory.list', { status: ['proposed'] })
    expect(rows.map((row) => row.memory_key)).toEqual(['trial'])
  })

  it('leaves a proposal out of what becomes of a run’s memories', async () => {
    const answer = await loom.call('run.complete', { run_id: 'proposer', status: 'completed', retain: 'expire' })
    expect(answer.retained).toMatchObject({ expired: 0, refused: [{ memory_key: 'trial', code: 'NOT_FOUND' }] })
  })
})
