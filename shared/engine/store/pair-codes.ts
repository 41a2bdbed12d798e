import { sql, type Selectable } from 'kysely'
import { v7 } from 'uuid'
import type { Claims } from '../../contract/ops/engine/info.ts'
import { hashSecret, newPairCode } from '../access/secrets.ts'
import type { Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { writeAudit } from './audit.ts'
import { ensureOrg, type Minter } from './tokens.ts'

/** Whose token a code is exchanged for. */
export type Holder = Pick<Claims, 'org' | 'subject' | 'kind' | 'grants' | 'user_id' | 'own_session' | 'session_id'>

export interface PairCode {
  readonly pair_id: string
  /** `XXXX-XXXX-XXXX`. It is nowhere else: only its SHA-256 is stored. */
  readonly code: string
  readonly expires_at: Date
}

export type PairCodeRow = Selectable<Tables['pair_code']>

const MINUTE_MS = 60_000
/** How long an ended code is kept, so that the same device is told what it is told of every other. */
const KEPT = '30 days'

/** Stores a new code with its audit row, and its org; drops codes that ended long ago. */
export async function createPairCode(tx: Tx, holder: Holder, ttlMinutes: number, by: Minter, now: Date): Promise<PairCode> {
  const made = { pair_id: v7(), code: newPairCode(), expires_at: new Date(now.getTime() + ttlMinutes * MINUTE_MS) }
  await ensureOrg(tx, holder.org, now)
  await sql`DELETE FROM loom.pair_code WHERE expires_at < ${now}::timestamptz - ${KEPT}::interval`.execute(tx)
  const { grants, ...rest } = holder
  await tx
    .insertInto('pair_code')
    .values({
      ...rest,
      grants: JSON.stringify(grants),
      pair_id: made.pair_id,
      code_sha256: hashSecret(made.code),
      created_at: now,
      created_by: by.actor,
      expires_at: made.expires_at,
      redeemed_at: null,
    })
    .execute()
  await writeAudit(tx, [
    {
      op: by.op ?? 'pair.create',
      at: now,
      org: holder.org,
      actor: by.actor,
      requestId: by.requestId,
      subject: `pair_code:-/-/-/${made.pair_id}`,
    },
  ])
  return made
}

/** The code that has not expired, held until the transaction ends: of two that send it at once one is first. */
export async function lockPairCode(tx: Tx, code: string, now: Date): Promise<PairCodeRow | null> {
  const row = await tx
    .selectFrom('pair_code')
    .selectAll()
    .where('code_sha256', '=', hashSecret(code))
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** From now on only this device may send the code. */
export async function markRedeemed(tx: Tx, row: PairCodeRow, device: { device_id: string; device_key: string }, now: Date): Promise<void> {
  const { device_id, device_key } = device
  await tx.updateTable('pair_code').set({ redeemed_at: now, device_id, device_key }).where('code_sha256', '=', row.code_sha256).execute()
}

/** The link that a desktop takes. */
export function pairLink(publicUrl: string, code: string): string {
  return `loom://pair?server=${encodeURIComponent(publicUrl)}&code=${code}`
}
