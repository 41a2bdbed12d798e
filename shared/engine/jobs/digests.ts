import { v7 } from 'uuid'
import { periodEnd, periodStart, type Period } from '../../domain/digest/period.ts'
import { placesWithout, writeDigest } from '../store/digests.ts'
import type { Job } from './job.ts'

/** How far back periods are written up that nobody was there to write: a first start finds what is there. */
const BACK = { day: 31, week: 12, month: 12 } as const satisfies Record<Period, number>
const BATCH = 50

/** The periods that are over, the newest first. */
function* overPeriods(now: number): Generator<{ name: Period; start: Date; end: Date }> {
  for (const name of ['day', 'week', 'month'] as const) {
    let start = periodStart(name, now)
    for (let back = 0; back < BACK[name]; back++) {
      const end = start
      start = periodStart(name, start - 1)
      yield { name, start: new Date(start), end: new Date(periodEnd(name, start)) }
      if (end <= 0) return
    }
  }
}

/** Writes up each period once it is over, of each namespace and user. One that an erasure took is written again of what is left. */
export const digests: Job = {
  name: 'digests',
  everyMs: 3_600_000,
  async run(parts, signal) {
    const { database } = parts
    const now = parts.clock()
    for (const period of overPeriods(now)) {
      const places = await placesWithout(database.reader, period.name, period.start, period.end, BATCH)
      for (const place of places) {
        if (signal.aborted) return 'done'
        await database.transaction(async (tx) => {
          await parts.numbers.enter(tx, place.org)
          await writeDigest(tx, place, period, v7(), new Date(now))
        })
      }
      if (places.length === BATCH) return 'again'
    }
    return 'done'
  },
}
