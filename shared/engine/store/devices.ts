import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Claims } from '../../contract/ops/engine/info.ts'
import { newDeviceId, newServerId } from '../access/secrets.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { writeAudit } from './audit.ts'
import { mintToken, revokeToken, tokenById, type Ender, type MintedToken, type NewToken } from './tokens.ts'

export type DeviceRow = Selectable<Tables['device']>
/** A device with the grants and the subject of its token. */
export type ShownDevice = DeviceRow & { readonly subject: string; readonly grants: Claims['grants'] }

/** What a device says of itself. */
export interface DeviceFields {
  readonly name: string
  /** Ed25519 public key, in its one spelling. */
  readonly device_key: string
  readonly platform: string
  readonly app_version: string
  readonly judge_version: string
  readonly embedding_model: string
}

type By = Ender

async function writeDeviceAudit(tx: Tx, device: Pick<DeviceRow, 'org' | 'device_id'>, by: By, now: Date): Promise<void> {
  await writeAudit(tx, [
    { op: by.op, at: now, org: device.org, actor: by.actor, requestId: by.requestId, subject: `device:-/-/-/${device.device_id}` },
  ])
}

export async function deviceById(db: Queryable, org: string, deviceId: string): Promise<DeviceRow | null> {
  const row = await db.selectFrom('device').selectAll().where('org', '=', org).where('device_id', '=', deviceId).executeTakeFirst()
  return row ?? null
}

/** The live device of a key, held until the transaction ends. */
export async function lockDeviceOfKey(tx: Tx, org: string, deviceKey: string): Promise<DeviceRow | null> {
  const row = await tx
    .selectFrom('device')
    .selectAll()
    .where('org', '=', org)
    .where('device_key', '=', deviceKey)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/**
 * Makes a device with its token, or gives the one that is there a new token of these claims: the earlier one ends. A
 * session of its own stays the same over tokens of one subject, so that its rows stay its own.
 */
export async function seatDevice(
  tx: Tx,
  known: DeviceRow | null,
  fields: DeviceFields,
  claims: NewToken,
  by: By,
  now: Date,
): Promise<MintedToken & { readonly device_id: string }> {
  const { org } = claims
  const device_id = known?.device_id ?? newDeviceId()
  const before = known ? await tokenById(tx, known.token_id) : null
  const sameHolder = before?.own_session === true && before.subject === claims.subject && before.kind === claims.kind
  const session_id = claims.session_id || (claims.own_session && sameHolder ? before.session_id : '')
  if (before) await revokeToken(tx, before, by, now)
  const minted = await mintToken(
    tx,
    { ...claims, session_id, device_id, expires_at: null, note: `device ${fields.name}`.slice(0, 200) },
    by,
    now,
  )
  const { token_id } = minted.claims
  if (known)
    await tx
      .updateTable('device')
      .set({ ...fields, token_id, last_seen_at: now })
      .where('org', '=', org)
      .where('device_id', '=', device_id)
      .execute()
  else
    await tx
      .insertInto('device')
      .values({ org, device_id, ...fields, token_id, created_at: now, last_seen_at: now, last_push_at: null, revoked_at: null })
      .execute()
  await writeDeviceAudit(tx, { org, device_id }, by, now)
  return { ...minted, device_id }
}

/** Takes what a device says of itself now. */
export async function refreshDevice(tx: Tx, device: DeviceRow, fields: DeviceFields, by: By, now: Date): Promise<void> {
  const { org, device_id } = device
  await tx
    .updateTable('device')
    .set({ ...fields, last_seen_at: now })
    .where('org', '=', org)
    .where('device_id', '=', device_id)
    .execute()
  const changed = (Object.keys(fields) as (keyof DeviceFields)[]).some((field) => fields[field] !== device[field])
  if (changed) await writeDeviceAudit(tx, device, by, now)
}

/**
 * Ends a device and its token. Answers false when it had ended; a wipe may still be asked for then.
 */
export async function endDevice(tx: Tx, device: DeviceRow, wipe: boolean, by: By, now: Date): Promise<boolean> {
  const { org, device_id, token_id } = device
  const ends = device.revoked_at === null
  if (!ends && (!wipe || device.wipe)) return false
  await tx
    .updateTable('device')
    .set({ revoked_at: device.revoked_at ?? now, revoke_reason: by.reason ?? device.revoke_reason, wipe: wipe || device.wipe })
    .where('org', '=', org)
    .where('device_id', '=', device_id)
    .execute()
  await revokeToken(tx, { org, token_id }, by, now)
  await writeDeviceAudit(tx, device, by, now)
  return ends
}

/** Devices of an org with their tokens' subjects, newest first. */
export async function listDevices(
  db: Queryable,
  org: string,
  filter: {
    /** A condition over the device's row of `auth_token`. */
    readonly seen: RawBuilder<boolean>
    readonly revoked: boolean
    readonly after: readonly string[] | null
    readonly limit: number
    readonly deviceId?: string
  },
): Promise<ShownDevice[]> {
  const [at, id] = filter.after ?? []
  const after = at === undefined ? sql`true` : sql`(d.created_at, d.device_id) < (${at}::timestamptz, ${id})`
  const { rows } = await sql<ShownDevice>`SELECT d.*, auth_token.subject, auth_token.grants
    FROM loom.device d JOIN loom.auth_token ON auth_token.token_id = d.token_id AND auth_token.org = d.org
    WHERE d.org = ${org} AND ${filter.seen} AND (${filter.revoked} OR d.revoked_at IS NULL) AND ${after}
      AND (${filter.deviceId ?? null}::text IS NULL OR d.device_id = ${filter.deviceId ?? null})
    ORDER BY d.created_at DESC, d.device_id DESC LIMIT ${filter.limit}`.execute(db)
  return rows
}

/** Any number; the same in every process. */
const SERVER_ID_LOCK = 7_208_133n

/** Who this server is, whatever its address and however often its database was restored. Made when first asked for. */
export async function serverIdOf(tx: Tx, instanceId: string, now: Date): Promise<string> {
  await sql`SELECT pg_advisory_xact_lock(${SERVER_ID_LOCK})`.execute(tx)
  const row = await tx.selectFrom('instance').select(['instance_id', 'server_id']).executeTakeFirst()
  if (row && row.server_id !== '') return row.server_id
  const server_id = newServerId()
  if (row) await tx.updateTable('instance').set({ server_id }).where('instance_id', '=', row.instance_id).execute()
  else await tx.insertInto('instance').values({ instance_id: instanceId, server_id, created_at: now }).execute()
  return server_id
}
