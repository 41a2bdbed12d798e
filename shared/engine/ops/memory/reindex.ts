import { setTimeout as sleep } from 'node:timers/promises'
import type { Output } from '../../../contract/declare.ts'
import { memoryReindex as contract } from '../../../contract/ops/memory/reindex.ts'
import { degradedOf } from '../../degraded.ts'
import { defineBatch } from '../../handler.ts'
import { progressOf, queueReindex, REINDEX } from '../../jobs/reindex.ts'

type Answer = Output<typeof contract>

const LONGEST_WAIT_MS = 60_000
const LOOK_EVERY_MS = 100

export const memoryReindex = defineBatch(contract, async (input, context): Promise<Answer> => {
  const { parts, identity, now, caller } = context
  const scope = { org: identity.org, namespace: identity.namespace, what: input.what, keys: input.keys }
  const queued = await parts.database.transaction((tx) => queueReindex(tx, scope, now))
  parts.wake(REINDEX)
  const answer = (progress: Pick<Answer, 'state' | 'rows_done'>): Answer => ({
    job_id: queued.job_id,
    rows_total: queued.rows_total,
    ...progress,
    embedding_model: parts.models.embedder?.id ?? '',
    degraded: degradedOf(parts),
  })
  if (!input.wait) return answer(queued)
  // By the wall: the clock of an engine may stand still.
  const until = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    const progress = await progressOf(context.db, scope)
    if (!progress) return answer({ state: 'done', rows_done: queued.rows_total })
    if (performance.now() > until || caller.signal?.aborted || parts.stopping.aborted) return answer(progress)
    await sleep(LOOK_EVERY_MS, undefined, { ref: false })
  }
})
