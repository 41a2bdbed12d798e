import { DEFAULT_SETTINGS, NamespaceSettings } from '../../contract/ops/namespace/register.ts'
import type { Queryable, Tx } from '../db/database.ts'

/** Settings of a namespace as in force: what is stored over the defaults. */
export async function readSettings(db: Queryable, org: string, namespace: string): Promise<NamespaceSettings> {
  const row = await db
    .selectFrom('namespace')
    .select('settings')
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .executeTakeFirst()
  return withDefaults(row?.settings)
}

export function withDefaults(stored: unknown): NamespaceSettings {
  return NamespaceSettings.parse({ ...DEFAULT_SETTINGS, ...(stored as Partial<NamespaceSettings> | undefined) })
}

/** A namespace exists from its first write. */
export async function touchNamespace(tx: Tx, org: string, namespace: string, now: Date): Promise<void> {
  await tx
    .insertInto('org')
    .values({ org, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx
    .insertInto('namespace')
    .values({ org, namespace, settings: '{}', created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
