import { sql } from 'kysely'
import type { EngineParts } from '../parts.ts'
import type { Ended, LedgerFile } from './ledger-file.ts'

/** Tokens and devices that were ended stay so, whatever database is put in place. */

export async function endedHere({ database }: EngineParts): Promise<Ended[]> {
  const { rows } =
    await sql<Ended>`SELECT 'token' AS type, org, token_id AS id, revoked_at AS at, false AS wipe FROM loom.auth_token WHERE revoked_at IS NOT NULL
    UNION ALL SELECT 'device', org, device_id, revoked_at, wipe FROM loom.device WHERE revoked_at IS NOT NULL`.execute(database.reader)
  return rows
}

/** Ends again what the file says was ended and the database does not know of, and adds to the file what it lacks. */
export async function reapplyEnded(parts: EngineParts, file: LedgerFile): Promise<void> {
  await file.addEnded(await endedHere(parts))
  const ended = await file.ended()
  if (ended.length === 0) return
  await parts.database.transaction(async (tx) => {
    for (const { type, org, id, at, wipe } of ended) {
      if (type === 'token')
        await sql`UPDATE loom.auth_token SET revoked_at = ${at} WHERE org = ${org} AND token_id = ${id} AND revoked_at IS NULL`.execute(tx)
      else
        await sql`UPDATE loom.device SET revoked_at = coalesce(revoked_at, ${at}), wipe = wipe OR ${wipe} WHERE org = ${org} AND device_id = ${id}`.execute(
          tx,
        )
    }
  })
}
