import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memorySchemaApprove as contract } from '../../../contract/ops/memory_schema/approve.ts'
import { defineWrite } from '../../handler.ts'
import { changeSchemaVersion, fieldsOf, holdSchema, versionsOfSchema, type SchemaRow } from '../../store/record-schemas.ts'
import { auditSchema, passCompatible, retireActive } from '../../write/records/put-schema.ts'

const OUTCOME = { approve: 'active', reject: 'rejected' } as const

/** The proposal that is decided on, or one that was decided this way before. */
function subject(versions: readonly SchemaRow[], asked: number | undefined, outcome: string): SchemaRow | undefined {
  if (asked === undefined) return versions.find((row) => row.status === 'proposed')
  return versions.find((row) => row.version === asked && (row.status === 'proposed' || row.status === outcome))
}

export const memorySchemaApprove = defineWrite(contract, {
  async run({ schema, version, decision, reason }, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, actor, parts } = context
    await holdSchema(tx, parts.database.kind, identity, schema, 'alone')
    const status = OUTCOME[decision]
    const versions = await versionsOfSchema(tx, identity, schema)
    const row = subject(versions, version, status)
    if (!row) {
      const what = version === undefined ? 'no proposed version' : `no version ${version} that waits for a decision`
      throw new LoomError('NOT_FOUND', `${schema} has ${what} in ${identity.namespace}. memory_schema.list shows what there is.`, {
        field: version === undefined || versions.length === 0 ? 'schema' : 'version',
      })
    }
    if (row.status === status) return { schema, version: row.version, status, changed: false }
    if (decision === 'approve') {
      const active = versions.find((one) => one.status === 'active')
      await passCompatible(active, fieldsOf(row), context)
      await retireActive(active, context)
    }
    await changeSchemaVersion(tx, row, { status, decided_at: now, decided_by: actor, reason: reason || row.reason })
    await auditSchema(contract.name, row, context)
    return { schema, version: row.version, status, changed: true }
  },
})
