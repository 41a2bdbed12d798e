import { v7 } from 'uuid'
import { LOOM_VERSION } from '../../contract/version.ts'
import { JUDGE_VERSION } from '../../domain/judge/version.ts'
import type { WriteContext } from '../handler.ts'
import { lockKeys } from '../store/memories.ts'
import { serverIdOf, type DeviceFields } from '../store/devices.ts'
import type { MintedToken } from '../store/tokens.ts'

/** Of the sync between a desktop and a server. */
export const SYNC_PROTOCOL = 1

/** What a device says of itself, its key in the one spelling. */
export function deviceFieldsOf(input: Omit<DeviceFields, 'name'> & { readonly device_name: string }, deviceKey: string): DeviceFields {
  const { device_name: name, platform, app_version, judge_version, embedding_model } = input
  return { name, device_key: deviceKey, platform, app_version, judge_version, embedding_model }
}

/** Of two calls with one key the second finds the device of the first. */
export function lockDeviceKey({ tx, parts }: WriteContext, org: string, deviceKey: string): Promise<void> {
  return lockKeys(tx, parts.database.kind, [`${org}/device/${deviceKey}`])
}

/** What a device is told beside its id and token. */
export async function greeting({ tx, now }: WriteContext, org: string) {
  const known = await tx.selectFrom('org').select('erasure_seq').where('org', '=', org).executeTakeFirst()
  return {
    server_id: await serverIdOf(tx, v7(), now),
    server_version: LOOM_VERSION,
    judge_version: JUDGE_VERSION,
    protocol: SYNC_PROTOCOL,
    erasure_seq: Number(known?.erasure_seq ?? 0n),
  }
}

/** The answer to a device that was given a token. */
export async function seatedAnswer(context: WriteContext, seated: MintedToken & { readonly device_id: string }) {
  const { device_id, token, claims } = seated
  return { device_id, token, claims, ...(await greeting(context, claims.org)) }
}
