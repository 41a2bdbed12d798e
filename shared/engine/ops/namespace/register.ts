import type { Input, Output } from '../../../contract/declare.ts'
import { DEFAULT_SETTINGS, namespaceRegister as contract, type NamespaceSettings } from '../../../contract/ops/namespace/register.ts'
import { defineWrite } from '../../handler.ts'
import { requireRole, requireUnbound } from '../../rights.ts'
import { writeAudit } from '../../store/audit.ts'
import { withDefaults } from '../../store/namespaces.ts'

const FIELDS = ['description', 'conflict_threshold', 'default_conflict_policy', 'sensitivity_autodetect'] as const

/** A field left out keeps its value, null puts the default back. */
function merge(before: NamespaceSettings, input: Input<typeof contract>): NamespaceSettings {
  const changes = FIELDS.filter((field) => input[field] !== undefined).map((field) => [field, input[field] ?? DEFAULT_SETTINGS[field]])
  return { ...before, ...(Object.fromEntries(changes) as Partial<NamespaceSettings>) }
}

/** What differs from the defaults: the defaults of a later release then reach namespaces that never chose. */
function chosen(settings: NamespaceSettings): Partial<NamespaceSettings> {
  const entries = Object.entries(settings).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULT_SETTINGS[field as keyof NamespaceSettings]),
  )
  return Object.fromEntries(entries) as Partial<NamespaceSettings>
}

export const namespaceRegister = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, caller, parts, actor } = context
    const { org, namespace } = identity
    requireUnbound(caller, contract.name)
    const row = await tx.selectFrom('namespace').selectAll().where('org', '=', org).where('namespace', '=', namespace).executeTakeFirst()
    if (!row) requireRole(caller, org, namespace, 'org_admin')
    const before = withDefaults(row?.settings)
    const settings = merge(before, input)
    const changed = FIELDS.filter((field) => before[field] !== settings[field])
    const answer = { namespace, created: row?.registered !== true, changed, settings, restamp_rows: 0, dry_run: input.dry_run }
    if (input.dry_run || (row?.registered && changed.length === 0)) return answer
    await tx
      .insertInto('org')
      .values({ org, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await tx
      .insertInto('namespace')
      .values({ org, namespace, registered: true, settings: JSON.stringify(chosen(settings)), created_at: now, updated_at: now })
      .onConflict((conflict) =>
        conflict.columns(['org', 'namespace']).doUpdateSet({ registered: true, settings: JSON.stringify(chosen(settings)), updated_at: now }),
      )
      .execute()
    await writeAudit(tx, [
      { op: contract.name, at: now, org, actor, requestId: caller.requestId, subject: `namespace:-/-/-/${namespace}`, namespace },
    ])
    context.afterCommit(() => parts.settings.forget(org, namespace))
    context.emit({ type: 'namespace.changed', org, namespace })
    return answer
  },
})
