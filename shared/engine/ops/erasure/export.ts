import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { EXPORT_SECTIONS, erasureExport as contract } from '../../../contract/ops/erasure/export.ts'
import { passScopeRights, readScope } from '../../erasure/asked-scope.ts'
import { exportSections } from '../../erasure/export-sections.ts'
import { defineBatch } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { transact } from '../../transact.ts'

export const erasureExport = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { parts, identity, caller, actor, now } = context
  const { org } = identity
  const { scope_type, scope_value, requester, include_tombstoned, section_limit } = input
  const { namespaces, userId, purge } = readScope(input)
  passScopeRights(caller, org, input, { namespaces, userId, purge })
  // What is asked and answered up to now is part of what is known.
  await parts.ledger.flush()
  await parts.usage.flush()
  const options = {
    scope: { org, namespaces, userId },
    limit: section_limit,
    tombstoned: include_tombstoned,
    maxBytes: parts.config.erasure.exportConversationMaxBytes,
    now,
  }
  const sections = await parts.database.transaction(async (tx) => {
    await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`.execute(tx)
    return exportSections(tx, options)
  })
  await transact(context, ({ tx }) =>
    writeAudit(tx, [
      {
        op: contract.name,
        at: now,
        org,
        actor,
        requestId: caller.requestId,
        subject: `export:-/-/-/${scope_type}`,
        ...(scope_type === 'namespace' && { namespace: scope_value }),
      },
    ]),
  )
  const counts = Object.fromEntries(EXPORT_SECTIONS.map((name) => [name, sections[name].rows.length])) as Output<typeof contract>['counts']
  return { exported_at: now.toISOString(), org, scope_type, scope_value, requester, counts, ...sections }
})
