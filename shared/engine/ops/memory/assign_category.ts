import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryAssignCategory as contract } from '../../../contract/ops/memory/assign_category.ts'
import { defineWrite } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { categoryLink, categoryNamed, linkCategory, type CategoryLink } from '../../store/categories.ts'
import { headsOfKey, lockKeys } from '../../store/memories.ts'
import { iso } from '../../store/row-view.ts'
import { announce } from '../../write/revise-row.ts'
import { isLive } from '../../write/state.ts'

type Answer = Output<typeof contract>

function linkView(category: string, link: CategoryLink): Answer['link'] {
  return { category, actor: link.actor, at: link.at.toISOString(), rescinded_at: iso(link.rescinded_at) }
}

export const memoryAssignCategory = defineWrite(contract, {
  async run(input, context): Promise<Answer> {
    const { tx, identity, now, caller, actor, parts } = context
    const { org, namespace } = identity
    await lockKeys(tx, parts.database.kind, [`${org}/${namespace}/${input.memory_key}`])
    const named = await categoryNamed(tx, org, namespace, input.category)
    if (!input.rescind && (named === null || named.retired)) {
      throw new LoomError(
        'NOT_FOUND',
        `${input.category} is not a category of ${namespace}, or is retired. Register it with namespace.register_category.`,
        {
          field: 'category',
        },
      )
    }
    const category = named?.category ?? input.category
    const live = (await headsOfKey(tx, org, namespace, input.memory_key, {})).filter((head) => isLive(head, now))
    const link = await categoryLink(tx, org, namespace, input.memory_key, input.category)
    const answer = { memory_id: live[0]?.memory_id ?? '', category }
    const assigned = link !== null && link.rescinded_at === null
    if (input.rescind && !assigned) {
      const reason = live.length === 0 && link === null ? 'not_found' : 'not_assigned'
      return { ...answer, assigned: false, reason, link: link && linkView(category, link) }
    }
    if (!input.rescind && live.length === 0) return { ...answer, assigned: false, reason: 'not_found', link: null }
    if (!input.rescind && assigned) return { ...answer, assigned: true, reason: '', link: linkView(category, link) }
    const next = input.rescind && link ? { ...link, rescinded_at: now } : { actor, at: now, rescinded_at: null }
    await linkCategory(tx, org, namespace, input.memory_key, input.category, next)
    const subject = `memory:-/-/-/${input.memory_key}`
    await writeAudit(tx, [
      {
        op: contract.name,
        at: now,
        org,
        actor,
        requestId: caller.requestId,
        subject,
        namespace,
        memory_key: input.memory_key,
        memory_id: answer.memory_id,
      },
    ])
    for (const head of live) await announce(head, context)
    return { ...answer, assigned: !input.rescind, reason: '', link: linkView(category, next) }
  },
})
