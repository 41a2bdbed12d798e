import type { Caller } from '../caller.ts'
import type { Queryable } from '../db/database.ts'
import { requireRole } from '../rights.ts'
import type { Reach } from './sweep.ts'

/** @throws LoomError FORBIDDEN: a pattern of an org is for its admins, a global one for the platform's. */
export function requireScope(caller: Caller, org: string, scope: string): void {
  if (scope === 'org') requireRole(caller, org, '*', 'org_admin')
  if (scope === 'global') requireRole(caller, org, '*', 'platform_admin')
}

async function namespacesOf(db: Queryable, org: string): Promise<string[]> {
  const rows = await db.selectFrom('namespace').select('namespace').where('org', '=', org).orderBy('namespace').execute()
  return rows.map((row) => row.namespace)
}

/** The namespaces that a pattern of a scope binds; orgs are looked through one after another. */
export async function reachOf(db: Queryable, scope: string, place: { readonly org: string; readonly namespace: string }): Promise<Reach[]> {
  if (scope === 'namespace') return [{ org: place.org, namespaces: [place.namespace] }]
  if (scope === 'org') return [{ org: place.org, namespaces: await namespacesOf(db, place.org) }]
  const reach: Reach[] = []
  for (const { org } of await db.selectFrom('org').select('org').orderBy('org').execute())
    reach.push({ org, namespaces: await namespacesOf(db, org) })
  return reach
}
