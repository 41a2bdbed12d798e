import { v7 } from 'uuid'
import { isLoomError } from '../../contract/errors.ts'
import type { PrepareContext } from '../handler.ts'
import type { EngineParts } from '../parts.ts'
import { endedHere } from './ended.ts'
import type { ExternalEraser } from './external/eraser.ts'
import { fencesOf } from './fence.ts'
import { NO_LEDGER_FILE, openLedgerFile, type LedgerFile } from './ledger-file.ts'
import { reconcile } from './reconcile.ts'
import { registerSaga, type NewSaga } from './request.ts'
import { runSaga } from './run-saga.ts'
import { giveUp, scopeOf, takeDue, type SagaRow } from './sagas.ts'

/** What a host gives its erasures. */
export interface ErasureOptions {
  /** Path of `erasure-ledger.jsonl`; left out, the ledger is in the database alone. */
  readonly ledgerFile?: string
  readonly erasers?: readonly ExternalEraser[]
}

/** The sagas of a host. */
export interface Erasures {
  readonly file: LedgerFile
  /**
   * Raises the fence of an erasure and runs its saga. The promise in the answer resolves when that has ended, well or not.
   * @throws LoomError IN_PROGRESS
   */
  request(asked: NewSaga, context: PrepareContext): Promise<{ readonly saga: SagaRow; readonly ended: Promise<void> }>
  /** Takes up what failed and is due, and what a process left that is gone; until nothing is due. */
  recover(signal: AbortSignal): Promise<void>
  /** Brings ledger file and database level, and carries out what the database has lost; before anything is served. */
  reconcile(): Promise<void>
  /** A token or device was ended: the file outside the database says so from now on. */
  noteEnded(): void
  /** Waits for sagas under way, which stop at the next batch once the engine closes. */
  stop(): Promise<void>
}

export function createErasures(partsOf: () => EngineParts, { ledgerFile }: ErasureOptions): Erasures {
  const owner = v7()
  const file = ledgerFile === undefined ? NO_LEDGER_FILE : openLedgerFile(ledgerFile)
  const running = new Set<Promise<void>>()

  /** On disk outside the database before the first row is deleted. */
  async function run(saga: SagaRow): Promise<void> {
    const parts = partsOf()
    try {
      await file.addFences(fencesOf(scopeOf(saga), saga.requested_at))
    } catch (error) {
      parts.log.error({ err: error, erasure_id: saga.erasure_id }, 'the erasure ledger could not be written; the erasure waits')
      return
    }
    await runSaga(parts, saga, owner)
  }

  function begin(saga: SagaRow): Promise<void> {
    const ended = run(saga)
      .catch((error: unknown) =>
        partsOf().log.error({ err: error, erasure_id: saga.erasure_id }, 'an erasure stopped; it is taken up again'),
      )
      .finally(() => void running.delete(ended))
    running.add(ended)
    return ended
  }

  return {
    file,
    async request(asked, context) {
      const saga = await registerSaga(asked, context, owner)
      return { saga, ended: begin(saga) }
    },
    async recover(signal) {
      const { database, clock, config } = partsOf()
      while (!signal.aborted) {
        await giveUp(database, config.erasure.maxAttempts, new Date(clock()))
        const saga = await takeDue(database, owner, new Date(clock()))
        if (!saga) return
        await begin(saga)
      }
    },
    async reconcile() {
      const parts = partsOf()
      try {
        for (const saga of await reconcile(parts, file, owner)) await begin(saga)
      } catch (error) {
        // Nothing is served from a store that may hold what was erased.
        if (!isLoomError(error)) parts.log.error({ err: error }, 'the erasure ledger could not be compared with the database')
        throw error
      }
    },
    noteEnded() {
      const parts = partsOf()
      const noted: Promise<void> = endedHere(parts)
        .then((ended) => file.addEnded(ended))
        .catch((error: unknown) => parts.log.error({ err: error }, 'an ended token was not written to the erasure ledger'))
        .finally(() => void running.delete(noted))
      running.add(noted)
    },
    stop: async () => void (await Promise.all(running)),
  }
}
