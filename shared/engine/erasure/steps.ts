import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'
import { countShapeLogs, eraseShapeLogs } from '../shapes/erase.ts'
import { tagOf } from './external/eraser.ts'
import type { Scope } from './scope.ts'
import { scrubStore } from './scrub/scrub-store.ts'
import { dropTargets } from './sagas.ts'
import { BATCH, type StepName } from './store.ts'
import { clearPointers } from './stores/memory.ts'
import { OBJECT_STORE, removeOriginals } from './stores/outside.ts'
import { storesOf } from './stores.ts'

/** What a step needs: the scope, transactions, and where it notes what it did. */
export interface Work {
  readonly parts: EngineParts
  readonly scope: Scope
  /** Notes when the bytes went, before the backups made until then do. */
  purged(at: Date): Promise<void>
  /** False: external erasers were not asked for. */
  readonly external: boolean
  /** One transaction of the saga. @throws where it is not this runner's any more, or the engine closes. */
  batch<T>(run: (tx: Tx) => Promise<T>): Promise<T>
  note(tx: Tx, step: StepName, done: { readonly affected: number; readonly key: string; readonly done: boolean }): Promise<void>
}

type Step = (work: Work) => Promise<void>

const finished = (work: Work, step: StepName, affected = 0, key = ''): Promise<void> =>
  work.batch((tx) => work.note(tx, step, { affected, key, done: true }))

/**
 * Empties the stores of a step, as many as one transaction takes at a time. `finish` runs in the last one, which marks the
 * step done.
 */
const emptying =
  (step: StepName, finish: (tx: Tx, scope: Scope) => Promise<unknown> = () => Promise.resolve(), marks = true): Step =>
  async ({ parts, scope, batch, note }) => {
    const stores = storesOf(scope, parts.host).filter((store) => store.step === step)
    let next = 0
    for (let isDone = false; !isDone;) {
      isDone = await batch(async (tx) => {
        let taken = 0
        for (let at = next; at < stores.length && taken < BATCH; at++) {
          const store = stores[at]
          if (!store) break
          const affected = await store.erase(tx, scope, parts)
          if (affected > 0) await note(tx, step, { affected: store.isQuiet ? 0 : affected, key: store.key, done: false })
          taken += affected
          if (affected < BATCH) next = at + 1
        }
        const isLast = next >= stores.length
        if (isLast) await finish(tx, scope)
        await note(tx, step, { affected: 0, key: '', done: isLast && marks })
        return isLast
      })
    }
  }

/** How often and how long the log is looked at while transactions of others hold its end back. */
const LOG_LOOKS = 20
const LOG_WAIT_MS = 250

async function eraseSync(work: Work): Promise<void> {
  const { parts, scope } = work
  const hasLogs = parts.host === 'server'
  await emptying('delete.sync', undefined, !hasLogs)(work)
  if (!hasLogs) return
  const { org, namespaces, userId: user_id } = scope
  for (let look = 1; ; look++) {
    // Transactions of its own: the lease is renewed around it.
    await work.batch((tx) => work.note(tx, 'delete.sync', { affected: 0, key: '', done: false }))
    const was = await countShapeLogs(parts.database.reader, { org, namespaces, user_id }, scope.seq)
    if (parts.shapes) await parts.shapes.erase({ org, namespaces, user_id })
    else await eraseShapeLogs(parts.database, { org, namespaces, user_id })
    const left = await countShapeLogs(parts.database.reader, { org, namespaces, user_id }, scope.seq)
    // Beside a collection the namespace lives on, and is told to followers anew.
    const isDone = left.change_log + left.shape_log === 0 || scope.collection !== '' || look === LOG_LOOKS
    await work.batch(async (tx) => {
      await work.note(tx, 'delete.sync', { affected: was.change_log - left.change_log, key: 'pg:change_log', done: false })
      await work.note(tx, 'delete.sync', { affected: was.shape_log - left.shape_log, key: 'pg:shape_log', done: isDone })
    })
    if (isDone) return
    await sleep(LOG_WAIT_MS)
  }
}

/** Namespaces that an external eraser is asked about. */
async function namespacesOf({ org, namespaces }: Scope, parts: EngineParts): Promise<readonly string[]> {
  if (namespaces !== null) return namespaces
  const { rows } = await sql<{ namespace: string }>`SELECT namespace FROM loom.namespace WHERE org = ${org}
    UNION SELECT DISTINCT namespace FROM loom.memory WHERE org = ${org} ORDER BY namespace`.execute(parts.database.reader)
  return rows.map((row) => row.namespace)
}

async function askErasers(work: Work): Promise<void> {
  const { parts, scope } = work
  const { org, userId: user_id, erasureId: erasure_id, purge } = scope
  if (!work.external || parts.externalErasers.length === 0) return finished(work, 'external.erasers')
  let affected = 0
  for (const namespace of await namespacesOf(scope, parts)) {
    for (const eraser of parts.externalErasers) {
      await work.batch((tx) => work.note(tx, 'external.erasers', { affected: 0, key: '', done: false }))
      const answer = await eraser.erase({ org, namespace, user_id, tag: tagOf(org, namespace, user_id), erasure_id, purge })
      affected += Number.isSafeInteger(answer.affected) && answer.affected > 0 ? answer.affected : 0
    }
  }
  await finished(work, 'external.erasers', affected)
}

async function vacuum(work: Work): Promise<void> {
  const { parts, scope } = work
  if (scope.purge) {
    await work.batch((tx) => dropTargets(tx, scope))
    const onTable = (): Promise<void> => work.batch((tx) => work.note(tx, 'purge.vacuum', { affected: 0, key: '', done: false }))
    await scrubStore(parts.database, { full: parts.config.erasure.vacuumFull, onTable })
    await work.purged(new Date(parts.clock()))
    await parts.backups?.purge()
  }
  await finished(work, 'purge.vacuum')
}

const RUN: Partial<Record<StepName, Step>> = {
  // Raised with the request, in its transaction.
  'fence.scope': (work) => finished(work, 'fence.scope'),
  'delete.blobs': async (work) => {
    const removed = await removeOriginals(work.scope, work.parts, (run) => work.batch(run))
    await finished(work, 'delete.blobs', removed, OBJECT_STORE.key)
  },
  'delete.memory': emptying('delete.memory', clearPointers),
  'delete.sync': eraseSync,
  'external.erasers': askErasers,
  'purge.vacuum': vacuum,
}

/** How a step is done. */
export function workOf(step: StepName): Step {
  return RUN[step] ?? emptying(step)
}
