import { LoomError } from '../../../contract/errors.ts'
import type { Queryable } from '../../db/database.ts'
import { queueCounts } from './outbox.ts'

/** How long a round goes on while the server takes none of the changes that wait. */
export interface Patience {
  /** Some were taken: it begins anew. */
  renew(): void
  /** It ends before `waitMs` are over. */
  isOver(waitMs?: number): boolean
  /** What is told then. @param why what the server said; empty where it said nothing */
  ended(db: Queryable, org: string, why: string): Promise<LoomError>
}

/** @param ms Infinity: none ends */
export function patienceOf(ms: number): Patience {
  let from = performance.now()
  return {
    renew: () => void (from = performance.now()),
    isOver: (waitMs = 0) => performance.now() + waitMs - from > ms,
    async ended(db, org, why) {
      const { queued } = await queueCounts(db, org)
      const reason = why === '' ? '' : ` The team server asks for them again later (${why})`
      const words = `No change was taken for ${Math.round(ms / 1000)} s, and ${queued} wait still.${reason} Nothing is lost: sync again later.`
      return new LoomError('UNAVAILABLE', words, { queued })
    },
  }
}
