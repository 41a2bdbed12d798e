import type { Part, Place } from '../found.ts'
import type { Restoring } from './context.ts'
import { createDocuments } from './documents.ts'
import { createRecords } from './records.ts'
import { createRuns } from './runs.ts'
import { putScratch } from './scratch.ts'
import { createThreads } from './threads.ts'

/** Puts the parts of a Loom export back that are no memory, each by the operation that owns it. */
export function createRestorer(restoring: Restoring) {
  const documents = createDocuments(restoring)
  const threads = createThreads(restoring)
  const runs = createRuns(restoring)
  const records = createRecords(restoring)

  function take({ kind, row }: Part, at: Place): Promise<void> | void {
    switch (kind) {
      case 'record':
        return records.record(row, at)
      case 'document':
        return documents.document(row, at)
      case 'original':
        return documents.original(row)
      case 'thread':
        return threads.thread(row, at)
      case 'message':
        return threads.message(row, at)
      case 'run':
        return runs.run(row, at)
      case 'event':
        return runs.event(row, at)
      case 'scratch':
        return putScratch(row, at, restoring)
    }
  }

  return {
    take,
    schema: records.schema,
    /** Stores what waits for more of its own. */
    async flush(): Promise<void> {
      await documents.flush()
      await threads.flush()
      await runs.flush()
    },
  }
}
