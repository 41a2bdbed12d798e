import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { erasurePreview as contract } from '../../../contract/ops/erasure/preview.ts'
import { passScopeRights, readScope } from '../../erasure/asked-scope.ts'
import { takeCensus } from '../../erasure/census.ts'
import { devicesOver } from '../../erasure/devices.ts'
import { defineRead } from '../../handler.ts'
import { iso } from '../../store/row-view.ts'

/** No saga has this id: nothing was taken for it. */
const NO_SAGA = ''

export const erasurePreview = defineRead(contract, async (input, { parts, identity, caller, db }): Promise<Output<typeof contract>> => {
  const { org } = identity
  const { namespaces, userId, purge } = readScope(input)
  passScopeRights(caller, org, input, { namespaces, userId, purge })
  const { rows } = await sql<{ seq: bigint }>`SELECT erasure_seq AS seq FROM loom.org WHERE org = ${org}`.execute(db)
  const seq = (rows[0]?.seq ?? 0n) + 1n
  const { counts, total } = await takeCensus(parts, { org, seq, erasureId: NO_SAGA, namespaces, userId, collection: '', purge })
  const devices = parts.host === 'server' ? await devicesOver(db, { org, namespaces, userId }, null) : []
  return {
    counts: { ...counts },
    total,
    devices: devices.map(({ device_id, name, last_seen_at }) => ({ device_id, name, last_seen_at: iso(last_seen_at) })),
    backups: purge ? ((await parts.backups?.count()) ?? 0) : 0,
    purge,
  }
})
