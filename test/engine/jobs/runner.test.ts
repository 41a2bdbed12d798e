import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LEASE_MS, renewLease, takeLease } from '../../../shared/engine/jobs/lease.ts'
import type { Job } from '../../../shared/engine/jobs/job.ts'
import { createJobRunner, type JobRunner } from '../../../shared/engine/jobs/runner.ts'
import type { EngineParts } from '../../../shared/engine/parts.ts'
import { scratchPglite, type ScratchPglite } from '../db/scratch.ts'

/** A promise that is kept from outside. */
function gateway(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((keep) => {
    resolve = keep
  })
  return { promise, resolve }
}

const DAY = 24 * 3600 * 1000

describe('background passes', () => {
  let scratch: ScratchPglite
  let now = Date.parse('2026-03-02T10:00:00Z')
  let errors: string[] = []
  const runners: JobRunner[] = []
  beforeAll(async () => {
    scratch = await scratchPglite()
  })
  afterAll(() => scratch.drop())
  beforeEach(async () => {
    errors = []
    await scratch.database.reader.deleteFrom('worker_lease').execute()
    await scratch.database.reader.deleteFrom('job').execute()
  })
  afterEach(async () => {
    for (const runner of runners.splice(0)) await runner.stop()
  })

  const runnerOf = (jobs: readonly Job[], clock: () => number = () => now): JobRunner => {
    const log = pino({}, { write: (line: string) => void errors.push(line) })
    const runner = createJobRunner({ database: scratch.database, clock, log } as unknown as EngineParts, jobs)
    runners.push(runner)
    return runner
  }
  const counting = (name: string, everyMs = 60_000): { job: Job; runs: () => number } => {
    let runs = 0
    return { runs: () => runs, job: { name, everyMs, run: async () => (runs++, 'done') } }
  }
  const at = (): Date => new Date(now)
  const leaseOf = (worker: string) =>
    scratch.database.reader.selectFrom('worker_lease').selectAll().where('worker', '=', worker).executeTakeFirst()

  test('run when they are due by the store’s record, and not before', async () => {
    const [often, daily] = [counting('often'), counting('daily', DAY)]
    const runner = runnerOf([often.job, daily.job])
    expect(await runner.runDue(at())).toEqual(['often', 'daily'])
    expect(await runner.runDue(at())).toEqual([])
    now += 60_000
    expect(await runner.runDue(at())).toEqual(['often'])
    runner.wake('daily')
    expect(await runner.runDue(at())).toEqual(['daily'])
    expect([often.runs(), daily.runs()]).toEqual([2, 2])
    expect(await leaseOf('often')).toMatchObject({ expires_at: null, ran_at: at() })
  })

  test('run in one process at a time: who comes second leaves it, and takes it up when the first is gone', async () => {
    const { promise: gate, resolve: open } = gateway()
    const { promise: started, resolve: start } = gateway()
    const slow: Job = { name: 'slow', everyMs: 1000, run: async () => (start(), await gate, 'done') }
    const second = counting('slow', 1000)
    const other = runnerOf([second.job])
    const running = runnerOf([slow]).runDue(at())
    await started
    expect(await other.runDue(at())).toEqual([])
    // A write beside it is not held up.
    expect(await scratch.database.transaction((tx) => tx.selectFrom('worker_lease').select('worker').execute())).toEqual([
      { worker: 'slow' },
    ])
    open()
    expect(await running).toEqual(['slow'])
    expect(second.runs()).toBe(0)
    now += 1000
    expect(await other.runDue(at())).toEqual(['slow'])
  })

  test('leave a lease that is taken over when nobody keeps it, and cannot be kept after', async () => {
    const { database } = scratch
    expect(await takeLease(database, 'w', 'a', at(), null)).toBe(true)
    expect(await takeLease(database, 'w', 'a', at(), null)).toBe(true)
    const almost = new Date(now + LEASE_MS - 1)
    expect(await takeLease(database, 'w', 'b', almost, null)).toBe(false)
    expect(await renewLease(database, 'w', 'a', almost)).toBe(true)
    expect(await takeLease(database, 'w', 'b', new Date(now + LEASE_MS), null)).toBe(false)
    expect(await takeLease(database, 'w', 'b', new Date(now + 2 * LEASE_MS), null)).toBe(true)
    expect(await renewLease(database, 'w', 'a', new Date(now + 2 * LEASE_MS))).toBe(false)
  })

  test('log a failure, and are tried again with what they had noted', async () => {
    let fails = true
    const seen: unknown[] = []
    const job: Job = {
      name: 'shaky',
      everyMs: 60_000,
      async run(_parts, _signal, state) {
        seen.push(state.notes['at'])
        await state.save({ at: 7 })
        if (fails) throw new Error('the disk was away')
        return 'done'
      },
    }
    const runner = runnerOf([job])
    expect(await runner.runDue(at())).toEqual([])
    expect(errors.join('')).toContain('the disk was away')
    fails = false
    expect(await runner.runDue(at())).toEqual(['shaky'])
    expect(seen).toEqual([undefined, 7])
  })

  test('stop at a safe point, and go on from there in the next process', async () => {
    const steps: number[] = []
    const job = (until: number): Job => ({
      name: 'stepper',
      everyMs: 60_000,
      async run(_parts, signal, state) {
        const step = Number(state.notes['step'] ?? 0)
        if (step === 6) return 'done'
        steps.push(step)
        await state.save({ step: step + 1 })
        if (step === until) {
          const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
          void first.stop()
          await aborted
        }
        return 'again'
      },
    })
    const first = runnerOf([job(2)])
    await first.runDue(at())
    expect(steps).toEqual([0, 1, 2])
    expect(await leaseOf('stepper')).toMatchObject({ expires_at: null, ran_at: null })
    expect(await runnerOf([job(-1)]).runDue(at())).toEqual(['stepper'])
    expect(steps).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('start by themselves, and at once when they are woken', { timeout: 20_000 }, async () => {
    const { promise: twice, resolve: done } = gateway()
    let runs = 0
    const runner = runnerOf(
      [
        {
          name: 'timed',
          everyMs: DAY,
          async run() {
            if (++runs === 1) runner.wake('timed')
            else done()
            return 'done'
          },
        },
      ],
      Date.now,
    )
    runner.start()
    await twice
    expect(runs).toBe(2)
  })
})
