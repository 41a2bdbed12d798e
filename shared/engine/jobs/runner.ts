import { v7 } from 'uuid'
import type { EngineParts } from '../parts.ts'
import type { Job } from './job.ts'
import { LEASE_MS, dropLeases, endLease, ranAt, readState, renewLease, takeLease } from './lease.ts'

export interface JobRunner {
  /** Runs jobs when they are due, until `stop`. */
  start(): void
  /** Runs, one after another, the jobs that are due at `now` by the store's record; answers their names. */
  runDue(now: Date): Promise<string[]>
  /** Runs one job to its end, waiting for a process that has its lease. */
  runNow(name: string): Promise<void>
  /** Has a job run at the next look, whenever it ran last. */
  wake(name: string): void
  /** Stops at the next safe point, and waits for it. */
  stop(): Promise<void>
}

/** The first look after a start leaves the start alone. */
const FIRST_LOOK_MS = 3_000
const LOOK_EVERY_MS = 1_000
const RETRY_MS = 30_000
/** Others may run a job meanwhile, and a clock may be set: what is far off is looked at again after this. */
const SEEN_MS = 60_000
const WAIT_FOR_OTHER_MS = 500

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })

/** Runs the jobs of one engine. A job runs once at a time; a long one holds up no other. */
export function createJobRunner(parts: EngineParts, jobs: readonly Job[]): JobRunner {
  const { database, clock, log } = parts
  const owner = v7()
  const stopping = new AbortController()
  const woken = new Set<string>()
  /** Milliseconds of the wall clock before which a job is not looked at. */
  const notBefore = new Map<string, number>()
  let timer: NodeJS.Timeout | null = null
  const running = new Map<string, Promise<unknown>>()
  const ready =
    database.kind === 'pglite'
      ? dropLeases(database).catch((error: unknown) => log.warn({ err: error }, 'leases of a former process were not dropped'))
      : Promise.resolve()

  /** After the run of the same job that is under way; a failure of one is not the next one's. */
  function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = (running.get(name) ?? Promise.resolve()).then(work, work)
    const settled = mine
      .catch(() => {})
      .finally(() => {
        if (running.get(name) === settled) running.delete(name)
      })
    running.set(name, settled)
    return mine
  }

  /** Runs a job under its lease. `busy`: another process has it, or has just run it. */
  async function attempt(job: Job, ranBefore: Date | null): Promise<'busy' | 'failed' | { readonly inMs: number }> {
    await ready
    if (stopping.signal.aborted || !(await takeLease(database, job.name, owner, new Date(clock()), ranBefore))) return 'busy'
    const lost = new AbortController()
    const signal = AbortSignal.any([stopping.signal, lost.signal])
    const heartbeat = setInterval(() => {
      renewLease(database, job.name, owner, new Date(clock())).then(
        (held) => void (held || lost.abort()),
        (error: unknown) => log.warn({ err: error, job: job.name }, 'a lease could not be kept'),
      )
    }, LEASE_MS / 3).unref()
    let ended: Date | null = null
    try {
      let result: Awaited<ReturnType<Job['run']>> = 'again'
      while (result === 'again' && !signal.aborted) {
        const state = await readState(database, job.name, () => new Date(clock()))
        result = await job.run(parts, signal, state)
      }
      const inMs = typeof result === 'object' ? result.inMs : job.everyMs
      // Every process works out the next run from this.
      if (!signal.aborted) ended = new Date(clock() + inMs - job.everyMs)
      return { inMs }
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error, job: job.name }, 'a background pass failed and is tried again')
      return 'failed'
    } finally {
      clearInterval(heartbeat)
      await endLease(database, job.name, owner, ended).catch((error: unknown) =>
        log.warn({ err: error, job: job.name }, 'a lease was not given back'),
      )
    }
  }

  async function launch(job: Job, ranBefore: Date | null): Promise<void> {
    const outcome = await inTurn(job.name, () => attempt(job, ranBefore)).catch(() => 'failed')
    const inMs = typeof outcome === 'object' ? outcome.inMs : job.everyMs
    notBefore.set(job.name, clock() + Math.min(inMs, outcome === 'failed' ? RETRY_MS : SEEN_MS))
  }

  async function look(): Promise<void> {
    const due = jobs.filter((job) => !running.has(job.name) && (woken.has(job.name) || (notBefore.get(job.name) ?? 0) <= clock()))
    if (due.length === 0) return
    const last = await ranAt(database)
    for (const job of due) {
      const isWoken = woken.delete(job.name)
      const next = (last.get(job.name)?.getTime() ?? -Infinity) + job.everyMs
      notBefore.set(job.name, Math.max(clock() + LOOK_EVERY_MS, Math.min(next, clock() + SEEN_MS)))
      if (!isWoken && next > clock()) continue
      void launch(job, isWoken ? null : new Date(clock() - job.everyMs))
    }
  }

  function schedule(ms: number): void {
    if (stopping.signal.aborted) return
    timer = setTimeout(() => {
      look()
        .catch((error: unknown) => log.error({ err: error }, 'background passes could not be started'))
        .finally(() => schedule(LOOK_EVERY_MS))
    }, ms).unref()
  }

  return {
    start: () => schedule(FIRST_LOOK_MS),
    async runDue(now) {
      const last = await ranAt(database)
      const ran: string[] = []
      for (const job of jobs) {
        const ended = last.get(job.name) ?? null
        const isWoken = woken.delete(job.name)
        if (!isWoken && ended !== null && ended.getTime() + job.everyMs > now.getTime()) continue
        const ranBefore = isWoken ? null : new Date(now.getTime() - job.everyMs)
        if (typeof (await inTurn(job.name, () => attempt(job, ranBefore))) === 'object') ran.push(job.name)
      }
      return ran
    },
    async runNow(name) {
      const job = jobs.find((other) => other.name === name)
      if (!job) throw new RangeError(`There is no job ${name}.`)
      while (!stopping.signal.aborted) {
        if ((await inTurn(job.name, () => attempt(job, null))) !== 'busy') return
        await pause(WAIT_FOR_OTHER_MS, stopping.signal)
      }
    },
    wake: (name) => void woken.add(name),
    async stop() {
      stopping.abort()
      if (timer) clearTimeout(timer)
      await ready
      await Promise.all(running.values())
    },
  }
}
