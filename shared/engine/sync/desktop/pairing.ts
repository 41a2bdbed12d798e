import { LoomError } from '../../../contract/errors.ts'
import type { Claims } from '../../../contract/ops/engine/info.ts'
import { LOOM_VERSION } from '../../../contract/version.ts'
import { JUDGE_VERSION } from '../../../domain/judge/version.ts'
import { canonicalPairCode } from '../../access/secrets.ts'
import type { EngineParts } from '../../parts.ts'
import { newDeviceKey, proofOf } from './device-key.ts'
import type { ConnectInput, Connection, SyncOptions } from './port.ts'
import { serverLink } from './server-link.ts'

interface Seated {
  readonly device_id: string
  readonly token: string
  readonly claims: Claims
  readonly server_id: string
  readonly server_version: string
  readonly judge_version: string
}

function ownFields(parts: EngineParts, options: SyncOptions, name: string): Record<string, string> {
  return {
    device_name: name || options.deviceName,
    platform: options.platform,
    app_version: LOOM_VERSION,
    judge_version: JUDGE_VERSION,
    embedding_model: parts.models.embedder?.id ?? '',
  }
}

const refuse = (field: string, message: string): LoomError => new LoomError('INVALID_ARGUMENT', message, { field })

/**
 * Redeems a pairing code. The key is kept before the code is sent: after a lost answer the same code with the same key
 * answers again.
 * @throws LoomError NOT_FOUND for the code, INVALID_ARGUMENT for use_namespace, UNAVAILABLE for the server
 */
export async function redeem(parts: EngineParts, options: SyncOptions, input: ConnectInput): Promise<Connection> {
  const code = canonicalPairCode(input.code)
  if (code === null) throw new LoomError('NOT_FOUND', 'This is no pairing code: it looks like XXXX-XXXX-XXXX.', { field: 'code' })
  const kept = await options.secrets.read()
  const secrets = { deviceKey: kept?.deviceKey ?? newDeviceKey(), serverUrl: input.serverUrl, serverId: '', token: '' }
  await options.secrets.write(secrets)
  const link = serverLink({ serverUrl: input.serverUrl, fetch: options.fetch })
  const seated = (await link.call('pair.redeem', {
    code,
    ...ownFields(parts, options, input.deviceName),
    ...proofOf(secrets.deviceKey, code),
  })) as unknown as Seated
  const { claims } = seated
  if (claims.org === 'dev') throw refuse('server_url', 'This server names its org dev, which every desktop keeps for itself.')
  const { useNamespace } = input
  if (useNamespace !== '' && claims.grants[useNamespace] === undefined && claims.grants['*'] === undefined)
    throw refuse('use_namespace', `The code does not grant the namespace ${useNamespace}. Send the same code with another one, or none.`)
  await options.secrets.write({ ...secrets, serverId: seated.server_id, token: seated.token })
  const deviceName = input.deviceName || options.deviceName
  return connectionOf(seated, { serverUrl: input.serverUrl, token: seated.token, deviceName, useNamespace, erasureSeq: 0n })
}

function connectionOf(
  seated: Seated,
  rest: Pick<Connection, 'serverUrl' | 'token' | 'deviceName' | 'useNamespace' | 'erasureSeq'>,
): Connection {
  return {
    ...rest,
    org: seated.claims.org,
    serverId: seated.server_id,
    serverVersion: seated.server_version,
    judgeVersion: seated.judge_version,
    deviceId: seated.device_id,
    claims: seated.claims,
    revoked: false,
  }
}

/**
 * Tells the server what this device is, and hears what its token grants now.
 * @throws LoomError UNAVAILABLE where another server answers at the address, UNAUTHENTICATED for a revoked device
 */
export async function greet(parts: EngineParts, options: SyncOptions, connection: Connection): Promise<Connection> {
  const secrets = await options.secrets.read()
  if (!secrets?.token) throw new LoomError('UNAUTHENTICATED', 'The token of this device is gone. Pair it anew.')
  const link = serverLink({ serverUrl: connection.serverUrl, token: connection.token, fetch: options.fetch })
  const credential = connection.claims.token_id
  const seated = (await link.call('device.register', {
    ...ownFields(parts, options, connection.deviceName),
    ...proofOf(secrets.deviceKey, credential),
  })) as unknown as Seated
  if (seated.server_id !== connection.serverId)
    throw new LoomError('UNAVAILABLE', 'Another server answers at the address of the paired one. Nothing was synced.')
  const { serverUrl, token, deviceName, useNamespace, erasureSeq } = connection
  return connectionOf(seated, { serverUrl, token, deviceName, useNamespace, erasureSeq })
}
