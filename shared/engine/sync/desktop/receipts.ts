import { sql } from 'kysely'
import { LOOM_VERSION } from '../../../contract/version.ts'
import { signReceipt } from '../../erasure/receipt.ts'
import type { Counts } from '../../erasure/sagas.ts'
import type { EngineParts } from '../../parts.ts'
import type { Connection, SecretStore } from './port.ts'
import type { ServerLink } from './server-link.ts'
import { BEFORE_PAIRING } from './fences.ts'

interface Kept {
  readonly erasure_id: string
  readonly seq: bigint
  readonly purge: boolean
  readonly rows_affected: bigint
  readonly queue_dropped: bigint
  readonly census: Counts
  readonly applied_at: Date
}

/**
 * Sends the receipts that the server has not had, signed by the key of the device. One that is not clean is sent all the
 * same, and again once it is. Of fences older than the pairing none is asked: what their devices held was never here.
 * @throws LoomError as the server answers; what was not answered is sent again
 */
export async function sendReceipts(parts: EngineParts, connection: Connection, link: ServerLink, secrets: SecretStore): Promise<void> {
  const { org, deviceId } = connection
  const { rows } = await sql<Kept>`SELECT r.erasure_id, r.seq, r.purge, r.rows_affected, r.queue_dropped, r.census, r.applied_at
    FROM loom.erasure_own_receipt r JOIN loom.sync_state s ON s.org = r.org
    WHERE r.org = ${org} AND NOT r.sent AND EXISTS (SELECT 1 FROM loom.erasure_fence f WHERE f.org = r.org AND f.seq = r.seq
      AND NOT ${BEFORE_PAIRING}) ORDER BY r.seq`.execute(parts.database.reader)
  // The key store of the system is asked only when there is something to sign.
  const deviceKey = rows.length === 0 ? undefined : (await secrets.read())?.deviceKey
  if (deviceKey === undefined) return
  for (const row of rows) {
    const told = {
      erasure_id: row.erasure_id,
      seq: Number(row.seq),
      device_id: deviceId,
      purge: row.purge,
      rows_affected: Number(row.rows_affected),
      queue_dropped: Number(row.queue_dropped),
      census: row.census,
      applied_at: row.applied_at.toISOString(),
      app_version: LOOM_VERSION,
    }
    const answer = await link.call('erasure.receipt', { receipt: signReceipt(told, deviceKey) })
    const reason = answer['reason']
    if (answer['accepted'] !== true && reason !== 'residue')
      parts.log.warn({ reason, erasure_id: row.erasure_id }, 'the server took no receipt of an erasure')
    await sql`UPDATE loom.erasure_own_receipt SET sent = true WHERE org = ${org} AND erasure_id = ${row.erasure_id} AND seq = ${row.seq}
      AND applied_at = ${row.applied_at}`.execute(parts.database.reader)
  }
}
