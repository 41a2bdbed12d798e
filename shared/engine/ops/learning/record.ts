import type { Output } from '../../../contract/declare.ts'
import { learningRecord as contract } from '../../../contract/ops/learning/record.ts'
import type { WriteContext } from '../../handler.ts'
import { awaitReview, reviewOf } from '../../store/learnings.ts'
import { linkBetween, writeLink } from '../../store/links.ts'
import { headById } from '../../store/memories.ts'
import { candidates } from '../../store/resolve.ts'
import { defineShaped } from '../../write/shaped/handler.ts'
import { isLive } from '../../write/state.ts'

/** Links what a learning rests on; answers the keys that no live row holds. */
async function linkEvidence(memoryId: string, keys: readonly string[], context: WriteContext): Promise<string[]> {
  const { tx, now, actor, identity } = context
  const unknown: string[] = []
  for (const key of new Set(keys)) {
    const heads = (await candidates(tx, key, { ...context, given: {} })).filter((head) => isLive(head, now))
    if (heads.length === 0) unknown.push(key)
    for (const head of heads) {
      const ends = { org: identity.org, from_id: memoryId, to_id: head.memory_id, relation: 'evidence' }
      if (head.memory_id === memoryId || (await linkBetween(tx, ends))) continue
      await writeLink(tx, { ...ends, note: '', actor, at: now, namespace: identity.namespace })
    }
  }
  return unknown
}

export const learningRecord = defineShaped(contract, {
  async after({ evidence, dry_run }, { outcome, answer }, _claim, context): Promise<Output<typeof contract>> {
    const holds = outcome === 'stored' || outcome === 'repeated'
    if (dry_run || !holds) return { ...answer, review: 'pending' }
    const head = await headById(context.tx, context.identity.org, answer.memory_id)
    if (head) await awaitReview(context.tx, head)
    const unknown = await linkEvidence(answer.memory_id, evidence, context)
    const advisories = [...answer.advisories, ...unknown.map((key) => `evidence: no live row holds ${key}, so it is not linked.`)]
    return { ...answer, advisories, review: (head && (await reviewOf(context.tx, head))) ?? 'pending' }
  },
})
