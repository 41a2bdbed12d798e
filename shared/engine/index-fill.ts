import type { Logger } from 'pino'
import { LoomError } from '../contract/errors.ts'
import type { OpName } from '../contract/registry.ts'
import type { Database } from './db/database.ts'
import type { HotIndex } from './index/types.ts'
import { shuttingDown } from './shutting-down.ts'
import { fillIndex, isLarge } from './store/index-rows.ts'

/** The filling of the search index at start, which calls need not wait for to the end. */
export interface IndexFill {
  /** Rows are still missing: a search looks in the store itself. */
  readonly isCold: boolean
  /** Begins. A small store is in the index when this resolves; a large one follows between calls. */
  begin(): Promise<void>
  /**
   * Resolves when the index holds every row. One that failed is begun again by the next who asks.
   * @throws LoomError UNAVAILABLE when the engine closes before
   */
  filled(): Promise<void>
  /**
   * As `filled`, for a call: no caller waits for the index of a very large store.
   * @throws LoomError UNAVAILABLE when it takes long
   */
  filledSoon(): Promise<void>
}

/** What a person or an agent sees first, and what reads the store alone: these do not wait for the index. */
export const ANSWERS_COLD: ReadonlySet<OpName> = new Set<OpName>([
  'engine.info',
  'memory.get',
  'memory.get_by_id',
  'memory.history',
  'memory.list',
  'memory.search',
  'namespace.get',
  'namespace.list',
  'settings.get',
  'sync.status',
])

const LONGEST_WAIT_MS = 20_000
/** Who asks at once after a start is answered before the thread fills the rest. */
const PAUSE_MS = 1000

interface FillOptions {
  readonly database: Database
  readonly index: () => HotIndex
  /** Model of the stored vectors. */
  readonly model: string | null
  readonly log: Logger
  readonly stopping: AbortSignal
  /** Called once, when the last row is in. */
  readonly onFilled: () => void
}

/** Fills the index of one process. */
export function createIndexFill({ database, index, model, log, stopping, onFilled }: FillOptions): IndexFill {
  let cold = true
  let filling: Promise<void> | null = null
  let goOn = (): void => {}
  const newBatches = (): AsyncIterator<void> => fillIndex(database.reader, index(), model)

  async function fillFrom(batches: AsyncIterator<void>): Promise<void> {
    try {
      while (!stopping.aborted) {
        if (!(await batches.next()).done) continue
        cold = false
        onFilled()
        return
      }
    } catch (error) {
      log.error({ err: error }, 'the search index could not be filled')
      filling = null
      throw error
    }
    throw shuttingDown()
  }

  const filled = (): Promise<void> => {
    goOn()
    return (filling ??= fillFrom(newBatches()))
  }
  return {
    get isCold() {
      return cold
    },
    async begin() {
      if (!(await isLarge(database.reader))) return await filled()
      const pause = new Promise<void>((resolve) => (goOn = resolve))
      setTimeout(goOn, PAUSE_MS).unref()
      filling = pause.then(() => fillFrom(newBatches()))
      // Who needs the index is told.
      filling.catch(() => {})
    },
    filled,
    async filledSoon() {
      let timer: NodeJS.Timeout | undefined
      const tooLate = new Promise<never>((_, refuse) => {
        timer = setTimeout(() => refuse(stillReading()), LONGEST_WAIT_MS)
      })
      try {
        await Promise.race([filled(), tooLate])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

const stillReading = (): LoomError =>
  new LoomError('UNAVAILABLE', 'Loom is still reading its memory. Searches are answered already; try this again in a moment.', {
    retry_after_s: 5,
  })
