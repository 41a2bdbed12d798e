import { sql } from 'kysely'
import { LoomError } from '../../../contract/errors.ts'
import { namespaceRestore as contract } from '../../../contract/ops/namespace/restore.ts'
import { defineWrite } from '../../handler.ts'
import { inSelector } from '../../read/rows-in-scope.ts'
import { takeBack } from '../../write/take-back.ts'

/** As namespace.rollback over the whole namespace, to the very version at which the snapshot was taken. */
export const namespaceRestore = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  async assess(input, _prepared: undefined, context) {
    const { org, namespace } = context.identity
    const snapshot = await context.db
      .selectFrom('namespace_snapshot')
      .select(['at', 'version'])
      .where('org', '=', org)
      .where('namespace', '=', namespace)
      .where('snapshot_id', '=', input.snapshot_id)
      .executeTakeFirst()
    if (!snapshot)
      throw new LoomError('NOT_FOUND', 'There is no such snapshot here. namespace.snapshots lists them.', { field: 'snapshot_id' })
    return takeBack(
      {
        op: contract.name,
        to: snapshot.at,
        rows: inSelector(context),
        versions: sql`v.version <= ${snapshot.version}`,
        reason: input.reason,
        dryRun: input.dry_run,
      },
      context,
    )
  },
  run: async (_input, _context, _prepared, outcome) => outcome,
})
