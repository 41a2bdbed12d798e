import type { Claims } from '../contract/ops/engine/info.ts'

/** Who calls, over what, and what the connection itself names. Made by a transport, never by a call's own fields. */
export interface Caller {
  readonly claims: Claims
  readonly transport: 'http' | 'mcp' | 'ipc' | 'inproc'
  /**
   * Identity that the connection names where neither the call nor the token does: over MCP the client's name as
   * agent and the options of the connection; over HTTP and the command line nothing.
   */
  readonly fills: { readonly namespace?: string; readonly agent?: string; readonly user_id?: string; readonly session_id?: string }
  /** Network address of the client, where it came over a network. */
  readonly address?: string
  /** The person of the install: may see paths of this machine. */
  readonly local: boolean
  readonly requestId: string
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** Told what comes of an operation while it works, as its contract's `progress` has it. */
  readonly progress?: (told: Record<string, unknown>) => void
  /** Id of the MCP session that the call came in; its calls are one implicit run. */
  readonly mcpSession?: string
  /** The memory browser asks, and no agent: the call leaves nothing in the ledger. */
  readonly isWindow?: boolean
  /** The command line asks, over HTTP. */
  readonly isCommandLine?: boolean
  /** Org of a call that names none, where that is not the org of the claims. */
  readonly unnamedOrg?: string
}

/** The install's own org: never synced. */
export const INSTALL_ORG = 'dev'

/** `human:<subject>` or `process:<subject>`, stamped on every row (PRV002). */
export function actorOf(caller: Caller): string {
  return `${caller.claims.kind}:${caller.claims.subject}`
}

/** Whoever calls without a token what needs none. */
export function nobodyClaims(): Claims {
  return { ...localClaims('process', 'anonymous'), org: '', grants: {} }
}

/** Everyone on a single-user install: all rights in org `dev`. */
export function localClaims(kind: 'human' | 'process', subject: string): Claims {
  return {
    token_id: '',
    subject,
    kind,
    org: 'dev',
    grants: { '*': 'platform_admin' },
    agent: '',
    user_id: '',
    own_session: false,
    session_id: '',
    device_id: '',
    expires_at: null,
  }
}
