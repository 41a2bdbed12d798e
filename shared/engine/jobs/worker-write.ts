import type { Caller } from '../caller.ts'
import type { WriteContext } from '../handler.ts'
import type { Identity } from '../identity.ts'
import type { EngineParts } from '../parts.ts'
import { writeBatch } from '../write/batch.ts'

/** The caller of a background pass: rights over every namespace, bound to nothing. */
export const workerCaller = (name: string): Caller => ({
  claims: {
    token_id: '',
    subject: name,
    kind: 'process',
    org: '*',
    grants: { '*': 'platform_admin' },
    agent: '',
    user_id: '',
    own_session: false,
    session_id: '',
    device_id: '',
    expires_at: null,
  },
  transport: 'inproc',
  fills: {},
  local: false,
  requestId: '',
})

/**
 * Rows of a team are looked after by its server, whose changes come by the shapes: what a desktop did to them by itself
 * would be told to nobody. Expiry alone is each host's own.
 */
export function isOfServer(parts: Pick<EngineParts, 'sync'>, org: string): boolean {
  return parts.sync?.connection?.org === org
}

/**
 * A write of a background pass: actor `worker:<name>`, rights over every namespace. `at` is the row it is about, whose
 * org and namespace the context carries.
 */
export function workerWrite<T>(parts: EngineParts, name: string, at: Identity, work: (context: WriteContext) => Promise<T>): Promise<T> {
  const { org, namespace, agent, user_id, session_id } = at
  const identity = { org, namespace, agent, user_id, session_id }
  return writeBatch(parts, { actor: `worker:${name}`, caller: workerCaller(name), identity, now: new Date(parts.clock()) }, work)
}
