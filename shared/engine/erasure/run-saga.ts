import { sql } from 'kysely'
import { erasureWaitMinutes } from '../../contract/erasure.ts'
import { LoomError, isLoomError } from '../../contract/errors.ts'
import type { Tx } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'
import { takeCensus, type Census } from './census.ts'
import { setApplying } from '../sync/desktop/capture.ts'
import { complete } from './completion.ts'
import {
  dropTargets,
  LEASE_MS,
  leaveSaga,
  LeaseLost,
  noteStep,
  renewSaga,
  scopeOf,
  sagaById,
  stepsOf,
  unmarkSteps,
  type SagaRow,
} from './sagas.ts'
import { STEPS, type StepName } from './store.ts'
import { workOf, type Work } from './steps.ts'

/** Thrown between two batches when the engine closes. */
class Stopping extends Error {}

/** A failure of a step, as the ledger names it: an exception by its kind alone, for its message may quote a row. */
export function reasonOf(error: unknown): string {
  if (isLoomError(error)) return `${error.code}: ${error.message}`
  if (error instanceof ErasureResidueError) return `${error.name}: ${error.message}`
  return error instanceof Error ? error.constructor.name || 'Error' : 'Error'
}

export class ErasureResidueError extends Error {
  override readonly name = 'ErasureResidueError'
}

class StepFailed extends Error {
  readonly reason: string

  constructor(step: StepName, cause: unknown) {
    super('a step failed', { cause })
    this.reason = `${step}: ${reasonOf(cause)}`
  }
}

/**
 * Runs a saga that the caller holds to its end: completed, or failed and due again. Steps that an earlier attempt has done
 * are passed over. Ends without a word where another process has taken it or the engine closes: whoever holds it then, or
 * the recovery, goes on.
 */
export async function runSaga(parts: EngineParts, saga: SagaRow, owner: string): Promise<void> {
  const { database, log } = parts
  // A table that takes long to rewrite, or a service that takes long to answer, is no crash.
  const heartbeat = setInterval(() => {
    database
      .transaction((tx) => renewSaga(tx, saga, owner, new Date(parts.clock())))
      .catch((error: unknown) => error instanceof LeaseLost || log.warn({ err: error }, 'the lease of an erasure could not be kept'))
  }, LEASE_MS / 3).unref()
  try {
    const census = await runSteps(parts, saga, owner)
    await complete(parts, saga, owner, census)
  } catch (error) {
    if (error instanceof LeaseLost) return
    if (error instanceof Stopping) return leaveSaga(database, saga, owner)
    log.error({ err: error instanceof StepFailed ? error.cause : error, erasure_id: saga.erasure_id, org: saga.org }, 'an erasure failed')
    await fail(parts, saga, owner, error instanceof StepFailed ? error.reason : reasonOf(error))
  } finally {
    clearInterval(heartbeat)
  }
}

async function runSteps(parts: EngineParts, saga: SagaRow, owner: string): Promise<Census> {
  const scope = scopeOf(saga)
  const done = new Set(
    (await stepsOf(parts.database.reader, saga.org, saga.erasure_id)).filter((row) => row.done_at).map((row) => row.step),
  )
  const work: Work = {
    parts,
    scope,
    external: saga.external,
    async batch(run) {
      if (parts.stopping.aborted) throw new Stopping()
      return parts.database.transaction(async (tx) => {
        await begin(tx, parts, saga, owner)
        return run(tx)
      })
    },
    async purged(at) {
      await sql`UPDATE loom.erasure_saga SET purged_at = ${at} WHERE org = ${saga.org} AND erasure_id = ${saga.erasure_id}`.execute(
        parts.database.reader,
      )
    },
    note: (tx, step, more) => noteStep(tx, saga, step, { ...more, done: more.done ? new Date(parts.clock()) : null }),
  }
  for (const step of STEPS) {
    if (step === 'verify.residue' || done.has(step)) continue
    await inStep(step, () => workOf(step)(work))
    parts.log.debug({ erasure_id: saga.erasure_id, step }, 'a step of an erasure is done')
  }
  return inStep('verify.residue', () => verify(work, saga))
}

async function inStep<T>(step: StepName, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof Stopping) throw error
    throw new StepFailed(step, error)
  }
}

/** Sagas of an org take turns by the batch, so that no two wait for each other's rows in a circle. */
async function begin(tx: Tx, { database, clock, host }: EngineParts, saga: SagaRow, owner: string): Promise<void> {
  // What goes here is nothing that a desktop has changed: it leaves no base, and is pushed nowhere.
  if (host === 'desktop') await setApplying(tx, true)
  if (database.kind === 'postgres') await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`erasing:${saga.org}`}, 0))`.execute(tx)
  await renewSaga(tx, saga, owner, new Date(clock()))
}

/** Counts what is left; what landed while the saga ran is taken by a second sweep of the steps it belongs to. */
async function verify(work: Work, saga: SagaRow): Promise<Census> {
  const { parts, scope } = work
  const count = async (): Promise<Census> =>
    takeCensus(parts, { ...scope, purgedAt: (await sagaById(parts.database.reader, saga.erasure_id, saga.org))?.purged_at ?? null })
  let census = await count()
  if (census.steps.length > 0) {
    await work.batch((tx) => unmarkSteps(tx, saga, census.steps))
    const again = new Set<StepName>(census.steps)
    // What was deleted leaves its bytes, here as there.
    if (scope.purge) again.add('purge.vacuum')
    for (const step of STEPS) if (again.has(step)) await inStep(step, () => workOf(step)(work))
    census = await count()
  }
  await work.batch(async (tx) => {
    const isWhole = census.uncounted.length === 0
    const at = isWhole ? new Date(parts.clock()) : null
    await tx
      .updateTable('erasure_saga')
      .set({ residue: JSON.stringify(census.residue), verified_at: at, census: isWhole ? JSON.stringify(census.counts) : null })
      .where('org', '=', saga.org)
      .where('erasure_id', '=', saga.erasure_id)
      .execute()
    if (census.steps.length > 0) await unmarkSteps(tx, saga, census.steps)
    else if (isWhole) await dropTargets(tx, scope)
    await work.note(tx, 'verify.residue', { affected: 0, key: '', done: isWhole && census.total === 0 })
  })
  const [uncounted] = census.uncounted
  if (uncounted !== undefined) throw new LoomError('UNAVAILABLE', `${uncounted} could not be counted`)
  if (census.total > 0) throw new ErasureResidueError(`residue after erasure: ${listed(census.residue)}`)
  return census
}

const listed = (residue: Census['residue']): string =>
  Object.entries(residue)
    .map(([key, left]) => `${key}=${left}`)
    .join(', ')

async function fail(parts: EngineParts, saga: SagaRow, owner: string, reason: string): Promise<void> {
  const now = parts.clock()
  const isLast = saga.attempts >= parts.config.erasure.maxAttempts
  // The last one is looked at once more, by the recovery that gives it up.
  const next = new Date(now + (isLast ? 0 : erasureWaitMinutes(saga.attempts) * 60_000))
  await parts.database.transaction((tx) =>
    tx
      .updateTable('erasure_saga')
      .set({ status: 'failed', failure_reason: reason, completed_at: new Date(now), next_attempt_at: next, lease_until: null })
      .where('org', '=', saga.org)
      .where('erasure_id', '=', saga.erasure_id)
      .where('lease_owner', '=', owner)
      .where('status', '=', 'in_progress')
      .execute(),
  )
}
