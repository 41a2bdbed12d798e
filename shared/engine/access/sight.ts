import { sql, type RawBuilder } from 'kysely'
import type { Claims } from '../../contract/ops/engine/info.ts'
import { atLeast, isPlatformAdmin, roleIn } from '../rights.ts'

/** Which tokens and devices of an org a caller may see and end. Conditions are over a row of `auth_token`. */

/** Namespaces whose admin the caller is; null: all of the org and the flat grants too. */
function administered(claims: Claims, org: string): readonly string[] | null {
  if (isPlatformAdmin(claims) || atLeast(roleIn(claims, org, '*'), 'org_admin')) return null
  return Object.keys(claims.grants).filter((namespace) => namespace !== '*' && atLeast(roleIn(claims, org, namespace), 'admin'))
}

/** Tokens whose grants all lie in namespaces that the caller administers; for an org admin all. */
export function tokensInSight(claims: Claims, org: string): RawBuilder<boolean> {
  const namespaces = administered(claims, org)
  if (namespaces === null) return sql<boolean>`true`
  // The admin of all namespaces by `*` may see every grant but those by `*`, which are an org admin's.
  const lies = atLeast(roleIn(claims, org, '*'), 'admin') ? sql`granted <> '*'` : sql`granted = any(${[...namespaces]}::text[])`
  return sql<boolean>`NOT EXISTS (SELECT 1 FROM jsonb_object_keys(auth_token.grants) AS granted WHERE NOT (${lies}))`
}

/** As `tokensInSight`, and the caller's own; a bound token sees its own subject's alone. */
export function devicesInSight(claims: Claims, org: string): RawBuilder<boolean> {
  const own = sql<boolean>`(auth_token.subject = ${claims.subject} AND auth_token.kind = ${claims.kind})`
  const bound = claims.user_id !== '' || claims.own_session
  return bound ? own : sql<boolean>`(${own} OR ${tokensInSight(claims, org)})`
}
