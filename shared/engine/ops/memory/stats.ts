import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { memoryStats as contract } from '../../../contract/ops/memory/stats.ts'
import { degradedOf } from '../../degraded.ts'
import { defineRead } from '../../handler.ts'
import { inSelector, isLiveRow } from '../../read/rows-in-scope.ts'
import { pendingExtraction } from '../../read/pending-extraction.ts'
import { busiestAgents, countsBy, mostUsedTags, openPairs, sizes, tallies } from '../../read/statistics.ts'
import { atLeast, roleIn } from '../../rights.ts'
import { iso } from '../../store/row-view.ts'

/** by_status covers all heads; everything else the live rows. An empty namespace is zeros. */
export const memoryStats = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { now, parts, identity, caller } = context
  const all = inSelector(context)
  const live = sql`${all} AND ${isLiveRow(now)}`
  const tally = await tallies(context)
  const pairs = await openPairs(context)
  const { size, embedding } = await sizes(context)
  const maySeeStore = caller.local || atLeast(roleIn(caller.claims, identity.org, identity.namespace), 'admin')
  return {
    total: tally.total,
    by_status: await countsBy('status', all, context),
    by_type: await countsBy('memory_type', live, context),
    by_sensitivity: await countsBy('sensitivity', live, context),
    by_source_class: await countsBy('source_class', live, context),
    by_tag: await mostUsedTags(live, input.top, context),
    by_agent: await busiestAgents(live, input.top, context),
    pinned: tally.pinned,
    locked: tally.locked,
    provisional: tally.provisional,
    unverified_external: tally.unverified_external,
    expiring_7d: tally.expiring_7d,
    restorable: tally.restorable,
    conflicts_open: pairs.conflict,
    duplicates_open: pairs.duplicate,
    proposals_open: tally.proposals_open,
    versions: size.versions,
    size: {
      value_bytes: size.value_bytes,
      version_bytes: size.version_bytes,
      vector_bytes: size.vector_bytes,
      chunk_bytes: size.chunk_bytes,
      database_bytes: maySeeStore ? await parts.database.bytes() : null,
    },
    oldest_at: iso(tally.oldest),
    newest_at: iso(tally.newest),
    embedding,
    extraction_pending: await pendingExtraction([identity.namespace], context),
    degraded: degradedOf(parts),
  }
})
