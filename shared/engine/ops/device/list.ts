import type { Output } from '../../../contract/declare.ts'
import { deviceList as contract } from '../../../contract/ops/device/list.ts'
import { devicesInSight } from '../../access/sight.ts'
import { receiptsOwed } from '../../erasure/devices.ts'
import { defineRead } from '../../handler.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { listDevices } from '../../store/devices.ts'
import { iso } from '../../store/row-view.ts'

export const deviceList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, parts, caller, identity } = context
  const list = listName(contract.name, identity.org, input)
  const after = readPlace(list, input.cursor, ['time', 'text'])
  // What this process has seen of devices in the last second is not written yet.
  await parts.lastUsed.flush()
  const seen = devicesInSight(caller.claims, identity.org)
  const rows = await listDevices(db, identity.org, { seen, revoked: input.include_revoked, after, limit: input.limit + 1 })
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  const owed = await receiptsOwed(db, identity.org)
  return {
    devices: shown.map((row) => ({
      device_id: row.device_id,
      name: row.name,
      subject: row.subject,
      grants: row.grants,
      platform: row.platform,
      app_version: row.app_version,
      judge_version: row.judge_version,
      embedding_model: row.embedding_model,
      created_at: row.created_at.toISOString(),
      last_seen_at: iso(row.last_seen_at),
      last_push_at: iso(row.last_push_at),
      erasure_seq: Number(row.erasure_seq),
      erasures_pending: owed.get(row.device_id) ?? 0,
      revoked_at: iso(row.revoked_at),
    })),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.created_at.toISOString(), last.device_id]) : null,
  }
})
