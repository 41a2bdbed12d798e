import { randomUUID } from 'node:crypto'
import { LoomError } from '../contract/errors.ts'

/**
 * The session id of older MCP clients, which name themselves once, in `initialize`. It carries that name, so that no
 * process has to remember a session: a restart of Loom ends none, and none can pile up.
 */
export function sessionIdFor(client: string): string {
  return `${randomUUID()}.${Buffer.from(client).toString('base64url')}`
}

/** What tells a session from others, without the client's name. */
export const sessionKeyOf = (id: string): string => id.slice(0, 36)

/**
 * The client's name in a session id.
 * @throws LoomError NOT_FOUND for an id that is not ours; the client then starts a new session.
 */
export function clientOfSession(id: string): string {
  const name = /^[0-9a-f-]{36}\.([A-Za-z0-9_-]{1,1200})$/.exec(id)?.[1]
  if (name === undefined) throw new LoomError('NOT_FOUND', 'There is no such MCP session. Initialize a new one.')
  return Buffer.from(name, 'base64url').toString()
}
