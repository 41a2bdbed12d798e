import type { Output } from '../../../contract/declare.ts'
import { memoryResolveOrphanDuplicates as contract } from '../../../contract/ops/memory/resolve_orphan_duplicates.ts'
import { defineBatch } from '../../handler.ts'
import type { Head } from '../../store/memories.ts'
import { transact } from '../../transact.ts'
import { adoptOrphans, goneCanonicals, heirOf } from '../../write/settling/orphans.ts'

const MOST_SHOWN = 100

export const memoryResolveOrphanDuplicates = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { parts, identity, given, now, db } = context
  const { org, namespace } = identity
  const scope = { org, namespace, agent: given.agent, userId: given.user_id, sessionId: given.session_id }
  const gone = await goneCanonicals(db, scope, input.limit + 1)
  const reactivated: Head[] = []
  for (const canonicalId of gone.slice(0, input.limit)) {
    const heir = input.dry_run
      ? await heirOf(db, org, canonicalId, now).then(({ orphans, successor }) => (successor ? null : (orphans[0] ?? null)))
      : await parts.exclusive.run(`${org}/${namespace}`, () =>
          transact(context, (write) => adoptOrphans(org, canonicalId, contract.name, write)),
        )
    if (heir) reactivated.push(heir)
  }
  return {
    reactivated: reactivated.slice(0, MOST_SHOWN).map((head) => ({
      memory_key: head.memory_key,
      memory_id: head.memory_id,
      version: head.version,
      version_text: head.version.toString(),
    })),
    count: reactivated.length,
    truncated: gone.length > input.limit,
    dry_run: input.dry_run,
  }
})
