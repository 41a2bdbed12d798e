import type { HostAnswers } from '../../shared/contract/host-calls.ts'
import { raise } from '../../shared/client/errors.ts'
import { createClient } from '../../shared/client/create-client.ts'
import { httpLink } from '../../shared/client/http-link.ts'
import { ipcLink } from '../../shared/client/ipc-link.ts'
import type { Link } from '../../shared/client/link.ts'
import { isLoomError } from '../../shared/contract/errors.ts'
import { contractOf, isOpName } from '../../shared/contract/registry.ts'
import type { AskHost, LoomClient } from './client.tsx'
import { placedLink } from './places.ts'

/** Under which key this tab keeps its token. */
const TOKEN = 'loom.token'

/** Inside the desktop over its bridge, in a browser over the address that served this page. */
function road(token: string | null): Link {
  if (window.loom) return ipcLink(window.loom)
  return httpLink({ baseUrl: location.origin, ...(token === null ? {} : { token }) })
}

/** A link whose calls are of an agent where they name none: with a token nothing else says whose memory it is. */
function asAgent(link: Link, agent: string): Link {
  const takesAgent = (op: string): boolean => isOpName(op) && 'agent' in contractOf(op).input.shape && contractOf(op).identity === 'exact'
  return { ...link, call: (op, input, meta) => link.call(op, takesAgent(op) ? { agent, ...(input as object) } : input, meta) }
}

function askHost(link: Link): AskHost {
  return async (name, input) => {
    const reply = await link.call(name, input, {})
    if (reply.ok) return reply.value as unknown as HostAnswers[typeof name]
    throw raise(reply.error)
  }
}

/** @param road the link as it is, whatever orgs another client on it names */
function clientOn(link: Link, road = link): LoomClient {
  return { ...createClient(link), host: askHost(road), within: (orgs) => clientOn(placedLink(road, orgs), road) }
}

export const keptToken = (): string | null => sessionStorage.getItem(TOKEN)
export const forgetToken = (): void => sessionStorage.removeItem(TOKEN)
const keepToken = (token: string): void => sessionStorage.setItem(TOKEN, token)

/** Why nobody is let in: the token will not do, there were too many tries, or nothing answers. */
export type Refusal =
  | { readonly why: 'token' }
  | { readonly why: 'every-org' }
  | { readonly why: 'wait'; readonly seconds: number }
  | { readonly why: 'no-answer' }
export type Entry = { readonly client: LoomClient } | { readonly refusal: Refusal }

/** True for what only another token, or patience, mends. */
export function isRefusal(error: unknown): boolean {
  return (
    isLoomError(error) &&
    (error.code === 'UNAUTHENTICATED' || (error.code === 'RATE_LIMITED' && error.fields['class'] === 'authentication'))
  )
}

function refusalOf(error: unknown): Refusal {
  if (!isLoomError(error)) return { why: 'no-answer' }
  if (error.code === 'UNAUTHENTICATED') return { why: 'token' }
  if (error.code === 'RATE_LIMITED') return { why: 'wait', seconds: Number(error.fields['retry_after_s'] ?? 60) }
  return { why: 'no-answer' }
}

/** A client, without asking whether it is let in: the window says by itself when nothing answers. */
export const openClient = (token: string | null): LoomClient => clientOn(road(token))

/** Asks who the holder of a token is, and keeps the token when it is let in. */
export async function enter(token: string | null): Promise<Entry> {
  const link = road(token)
  try {
    // One try: a refused token is not to count three times.
    const { mode, principal } = await createClient(link, { attempts: 1 }).engine.info({})
    if (principal.org === '*') return { refusal: { why: 'every-org' } }
    if (token !== null) keepToken(token)
    const named = mode === 'multi' && !window.loom && principal.agent === ''
    return { client: clientOn(named ? asAgent(link, 'default') : link) }
  } catch (error) {
    return { refusal: refusalOf(error) }
  }
}
