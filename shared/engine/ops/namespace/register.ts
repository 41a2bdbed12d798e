import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { DEFAULT_SETTINGS, namespaceRegister as contract, type NamespaceSettings } from '../../../contract/ops/namespace/register.ts'
import { defineWrite } from '../../handler.ts'
import { requireRole } from '../../rights.ts'
import { writeAudit } from '../../store/audit.ts'
import { withDefaults } from '../../store/namespaces.ts'
import { queuePiece } from '../../jobs/queue.ts'
import { FOLLOWS_WINDOWS, RESTAMP } from '../../jobs/restamp.ts'
import { SENSITIVITY } from '../../jobs/sensitivity.ts'
import { changedPaths, mergeSettings, movesLevels, movesWindows } from '../../write/merge-settings.ts'
import type { Tx } from '../../db/database.ts'

/** What differs from the defaults: the defaults of a later release then reach namespaces that never chose. */
function chosen(settings: NamespaceSettings): Partial<NamespaceSettings> {
  const entries = Object.entries(settings).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULT_SETTINGS[field as keyof NamespaceSettings]),
  )
  return Object.fromEntries(entries) as Partial<NamespaceSettings>
}

async function rowsToRestamp(tx: Tx, org: string, namespace: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`SELECT count(*)::int AS total FROM loom.memory
    WHERE org = ${org} AND namespace = ${namespace} AND ${FOLLOWS_WINDOWS}`.execute(tx)
  return rows[0]?.total ?? 0
}

export const namespaceRegister = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, caller, parts, actor } = context
    const { org, namespace } = identity
    const row = await tx.selectFrom('namespace').selectAll().where('org', '=', org).where('namespace', '=', namespace).executeTakeFirst()
    if (!row) requireRole(caller, org, namespace, 'org_admin')
    const before = withDefaults(row?.settings)
    const settings = mergeSettings(before, input)
    const changed = changedPaths(before, settings)
    const restamps = movesWindows(before, settings) ? await rowsToRestamp(tx, org, namespace) : 0
    const answer = { namespace, created: row?.registered !== true, changed, settings, restamp_rows: restamps, dry_run: input.dry_run }
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
        conflict
          .columns(['org', 'namespace'])
          .doUpdateSet({ registered: true, settings: JSON.stringify(chosen(settings)), updated_at: now }),
      )
      .execute()
    await writeAudit(tx, [
      { op: contract.name, at: now, org, actor, requestId: caller.requestId, subject: `namespace:-/-/-/${namespace}`, namespace },
    ])
    if (restamps > 0) await queuePiece(tx, RESTAMP, org, namespace, now)
    if (movesLevels(before, settings)) await queuePiece(tx, SENSITIVITY, org, namespace, now)
    context.afterCommit(() => {
      parts.settings.forget(org, namespace)
      for (const job of [RESTAMP, SENSITIVITY]) parts.wake(job)
    })
    context.emit({ type: 'namespace.changed', org, namespace })
    return answer
  },
})
