import { sql, type RawBuilder } from 'kysely'

/** A row of `loom.memory` under this alias whose time is not over. */
export function notExpired(alias: string, now: Date): RawBuilder<boolean> {
  const row = (column: string): RawBuilder<unknown> => sql.ref(`${alias}.${column}`)
  return sql<boolean>`NOT coalesce(${row('valid_to')} <= ${now} OR (${row('expires_at')} <= ${now} AND ${row('on_expire')} <> 'demote'), false)`
}
