import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import type { Caller } from '../../../shared/engine/caller.ts'

/** Callers of the org acme, in multi mode. */

export const ORG = 'acme'

export function caller(grants: Claims['grants'], more: Partial<Claims> = {}): Partial<Caller> {
  return {
    // As over the network: what is asked in process by a person leaves no line in the ledger of requests.
    transport: 'http',
    claims: {
      token_id: `t-${JSON.stringify([grants, more]).length}`,
      subject: 'ann',
      kind: 'human',
      org: ORG,
      grants,
      agent: '',
      user_id: '',
      own_session: false,
      session_id: '',
      device_id: '',
      expires_at: null,
      ...more,
    },
  }
}

export const ADMIN = caller({ '*': 'org_admin' })
export const CHAT_ADMIN = caller({ chat: 'admin' })
export const CHAT_WRITER = caller({ chat: 'writer' })
export const CHAT_VIEWER = caller({ chat: 'viewer' })
export const OPS_ADMIN = caller({ ops: 'admin' })
