import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LoomError } from '../../contract/errors.ts'
import type { WebhookConfig } from './config.ts'

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

export const resolveHost: Resolve = (host) => lookup(host, { all: true })

/** The only IPv6 addresses that are anybody's. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** True for an address of the public network. An IPv4 wrapped in an IPv6 is none, whatever it wraps. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6))
}

/** Host of a URL without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replaceAll(/^\[|\]$/g, '')

const invalid = (message: string): LoomError => new LoomError('INVALID_ARGUMENT', message, { field: 'url' })
const refuse = (message: string): LoomError => new LoomError('ADDRESS_REFUSED', message, { field: 'url' })

/**
 * Reads the URL of a receiver.
 * @throws LoomError INVALID_ARGUMENT for one that is not absolute http(s), or holds a user name, password or fragment.
 */
export function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw invalid('url must be an absolute https URL.')
  if (url.username !== '' || url.password !== '') throw invalid('url must hold no user name and no password.')
  if (url.hash !== '' || text.includes('#')) throw invalid('url must hold no fragment.')
  return url
}

/**
 * The addresses to connect to, each of them checked.
 * @throws LoomError ADDRESS_REFUSED; what the look-up throws
 */
export async function checkedAddresses(
  url: URL,
  config: Pick<WebhookConfig, 'allowHttp' | 'privateHosts'>,
  resolve: Resolve,
): Promise<readonly LookupAddress[]> {
  if (url.protocol !== 'https:' && !config.allowHttp) throw refuse('url must be https.')
  const host = hostOf(url)
  const kind = isIP(host)
  const addresses = kind === 0 ? await resolve(host) : [{ address: host, family: kind }]
  if (addresses.length === 0) throw refuse(`${host} has no address.`)
  if (config.privateHosts.includes(host)) return addresses
  if (addresses.every(({ address }) => isPublic(address))) return addresses
  throw refuse(`${host} is not a public address. Only public receivers are called, unless the server's operator names the host.`)
}
