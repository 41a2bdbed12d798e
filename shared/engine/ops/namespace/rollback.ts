import { sql } from 'kysely'
import { LoomError } from '../../../contract/errors.ts'
import { namespaceRollback as contract } from '../../../contract/ops/namespace/rollback.ts'
import { defineWrite } from '../../handler.ts'
import { inSelector } from '../../read/rows-in-scope.ts'
import { recordedAt } from '../../store/versions-as-of.ts'
import { takeBack } from '../../write/take-back.ts'

/** The batches are transactions of their own, so the work is done before the one that keeps the answer. */
export const namespaceRollback = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  async assess(input, _prepared: undefined, context) {
    const to = new Date(input.to)
    if (to > context.now) throw new LoomError('INVALID_ARGUMENT', 'to must be a past time.', { field: 'to' })
    if (input.keys !== undefined && input.key_prefix !== undefined) {
      throw new LoomError('INVALID_ARGUMENT', 'keys and key_prefix both name what to take back. Send one.', { field: 'keys' })
    }
    const keys = input.keys === undefined ? sql`true` : sql`m.memory_key = any(${input.keys}::text[])`
    const prefix = input.key_prefix === undefined ? sql`true` : sql`starts_with(m.memory_key, ${input.key_prefix})`
    return takeBack(
      {
        op: contract.name,
        to,
        rows: sql`${inSelector(context)} AND ${keys} AND ${prefix}`,
        versions: sql`${recordedAt(context.parts.host)} <= ${to}`,
        reason: input.reason,
        dryRun: input.dry_run,
      },
      context,
    )
  },
  run: async (_input, _context, _prepared, outcome) => outcome,
})
