import type { Output } from '../../../contract/declare.ts'
import { namespaceRegisterCategory as contract } from '../../../contract/ops/namespace/register_category.ts'
import { defineWrite } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { categoryKey, categoryNamed } from '../../store/categories.ts'
import { lockKeys } from '../../store/memories.ts'
import { touchNamespace } from '../../store/namespaces.ts'

export const namespaceRegisterCategory = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, caller, actor, parts } = context
    const { org, namespace } = identity
    const key = categoryKey(input.category)
    await lockKeys(tx, parts.database.kind, [`${org}/${namespace}/category/${key}`])
    const known = await categoryNamed(tx, org, namespace, input.category)
    const settled = { description: input.description ?? known?.description ?? '', retired: input.retired }
    const changed = known === null || known.description !== settled.description || known.retired !== settled.retired
    // The first spelling stays: links are shown under it.
    const category = known?.category ?? input.category
    if (!changed) return { category, created: false, changed: false }
    await touchNamespace(tx, org, namespace, now)
    await tx
      .insertInto('namespace_category')
      .values({ org, namespace, category_key: key, category, ...settled, actor, created_at: now, updated_at: now })
      .onConflict((conflict) => conflict.columns(['org', 'namespace', 'category_key']).doUpdateSet({ ...settled, actor, updated_at: now }))
      .execute()
    await writeAudit(tx, [
      { op: contract.name, at: now, org, actor, requestId: caller.requestId, subject: `category:-/-/-/${category}`, namespace },
    ])
    context.emit({ type: 'namespace.changed', org, namespace })
    return { category, created: known === null, changed: true }
  },
})
