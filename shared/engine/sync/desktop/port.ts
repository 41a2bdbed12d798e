import type { SyncStateName } from '../../../contract/ops/sync/status.ts'
import type { Claims } from '../../../contract/ops/engine/info.ts'
import type { OpContract } from '../../../contract/declare.ts'
import type { Place } from '../../desktop-settings/default-place.ts'
import type { Caller } from '../../caller.ts'
import type { CallContext, WriteContext } from '../../handler.ts'

/** What a desktop keeps secret: its own key, and the token that the server gave it. */
export interface SyncSecrets {
  /** Ed25519 private key, PKCS8 in base64url. */
  readonly deviceKey: string
  readonly serverUrl: string
  readonly serverId: string
  /** Empty until the pairing code is redeemed. */
  readonly token: string
}

/** Where the secrets lie: a system's key store, or a file that only its owner reads. */
export interface SecretStore {
  read(): Promise<SyncSecrets | null>
  write(secrets: SyncSecrets): Promise<void>
  remove(): Promise<void>
}

/** What syncing needs from the world. */
export interface SyncOptions {
  readonly secrets: SecretStore
  /** Reaches the server: behind a proxy, with the certificates that this machine trusts. */
  readonly fetch: typeof fetch
  /** Lets go of lines that are kept open: after a sleep, or on another network, they may be dead. */
  readonly forgetLines?: () => void
  readonly deviceName: string
  readonly platform: string
  /** False: paused, as the setting `sync.enabled` says. */
  readonly enabled?: () => boolean
  /** Where a call goes that names neither org nor namespace; null: the install's own place. */
  readonly defaultPlace?: (connection: Connection | null) => Place | null
}

/** The server that this desktop is paired with. */
export interface Connection {
  readonly org: string
  readonly serverUrl: string
  readonly serverId: string
  readonly serverVersion: string
  readonly judgeVersion: string
  readonly deviceId: string
  /** Name that the team sees. */
  readonly deviceName: string
  readonly token: string
  readonly claims: Claims
  readonly useNamespace: string
  readonly revoked: boolean
  /** The highest fence that is applied here. */
  readonly erasureSeq: bigint
}

export interface SyncState {
  readonly name: SyncStateName
  readonly error: { readonly code: string; readonly message: string } | null
  readonly retryAt: Date | null
}

export interface ConnectInput {
  readonly serverUrl: string
  readonly code: string
  readonly deviceName: string
  readonly useNamespace: string
}

/** The desktop's side of team sync, as the pipeline and the operations see it. */
export interface DesktopSync {
  readonly connection: Connection | null
  readonly state: SyncState
  runOp(op: string, input: unknown, caller: Caller): Promise<Record<string, unknown>>
  /** Who the person of the install is where a call goes: on the org of the server they have what its token grants. */
  callerFor(contract: OpContract, input: Readonly<Record<string, unknown>>, caller: Caller): Caller
  /** The server runs this call, and not this host. */
  isForwarded(contract: OpContract, input: Readonly<Record<string, unknown>>, caller: Caller): boolean | Promise<boolean>
  /** The answer of the server to such a call. @throws LoomError UNAVAILABLE where it cannot be reached; nothing is queued */
  forward(
    contract: OpContract,
    input: Readonly<Record<string, unknown>>,
    context: Pick<CallContext, 'caller' | 'identity'>,
  ): Promise<Record<string, unknown>>
  /** Queues what a write changed, in its own transaction. */
  record(context: WriteContext, answer: unknown): Promise<void>
  connect(input: ConnectInput, actor: string): Promise<Connection>
  disconnect(options: {
    readonly keepRows: boolean
    readonly discardQueue: boolean
  }): Promise<{ disconnected: boolean; rowsRemoved: number }>
  /** Something waits to be pushed. */
  queued(): void
  /** Follows the server until `stop`. */
  start(): void
  readonly isFollowing: boolean
  /**
   * One round: fences, push until nothing waits, pull until up to date.
   * @param patienceMs how long no change may be taken while some wait; left out, as long as it takes
   * @throws LoomError as the server answers; UNAVAILABLE with `queued` where the patience ended
   */
  once(patienceMs?: number): Promise<void>
  stop(): Promise<void>
}
