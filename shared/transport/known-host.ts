import { LoomError } from '../contract/errors.ts'

/** Which names and origins a server answers to. */
export interface HostRules {
  /** Names of this server, without port or brackets. */
  readonly allowedHosts: (hostname: string) => boolean
  /** Origins besides our own (an origin whose host and port are those of the Host header). */
  readonly allowedOrigins: (origin: string) => boolean
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/

/** True for the names by which a machine calls itself. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/** `localhost:7777` and `[::1]:7777` without port and brackets, in lower case; null for what is no host. */
function nameOf(host: string): string | null {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host)
  return (parts?.[1] ?? parts?.[2])?.toLowerCase() ?? null
}

function hostOfOrigin(origin: string): string | null {
  return /^https?:\/\/([^/?#\s@]+)$/i.exec(origin)?.[1]?.toLowerCase() ?? null
}

/**
 * Keeps other sites out: a page whose name was rebound to our address sends its own name as Host, and a page of
 * another site sends its own Origin.
 * @param host the Host header.
 * @param target the host of the request target, which may be an absolute URL.
 * @throws LoomError HOST_NOT_ALLOWED, with the field that was foreign.
 */
export function checkHost(rules: HostRules, host: string | undefined, target: string, origin: string | undefined): void {
  for (const named of [host ?? '', target]) {
    const name = nameOf(named)
    if (name !== null && rules.allowedHosts(name)) continue
    throw new LoomError('HOST_NOT_ALLOWED', 'The Host header does not name this server. Use the address that Loom printed.', {
      field: 'host',
    })
  }
  if (origin === undefined) return
  if (hostOfOrigin(origin) === host?.toLowerCase() || rules.allowedOrigins(origin)) return
  throw new LoomError('HOST_NOT_ALLOWED', 'The Origin header names another site. Loom answers its own pages and programs only.', {
    field: 'origin',
  })
}
