import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { EnvHttpProxyAgent, fetch as fetchThrough } from 'undici'
import { LoomError } from '../../contract/errors.ts'
import type { Environment } from './settings.ts'

/** How this machine reaches others, as its environment says. */
export interface NetworkConfig {
  readonly httpProxy: string
  readonly httpsProxy: string
  readonly noProxy: string
  /** File with certificates to trust besides the usual ones, in PEM. */
  readonly extraCertificates: string
}

/** Variables that every program knows, in either case; none is ours. */
export function networkOf(env: Environment): NetworkConfig {
  const either = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? ''
  return {
    httpProxy: either('HTTP_PROXY'),
    httpsProxy: either('HTTPS_PROXY'),
    noProxy: either('NO_PROXY'),
    extraCertificates: env['NODE_EXTRA_CA_CERTS'] ?? '',
  }
}

const ON_THIS_MACHINE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/**
 * Fetch for a service at an address: one on this machine, such as a language model of one's own, is behind no proxy.
 * @throws LoomError INVALID_ARGUMENT for a file of certificates that cannot be read
 */
export function fetchFor(address: string, network: NetworkConfig): typeof fetch {
  const isHere = ON_THIS_MACHINE.test(new URL(address).hostname)
  return createOutboundFetch(isHere ? { ...network, httpProxy: '', httpsProxy: '' } : network)
}

/**
 * Fetch that goes through a proxy and trusts further certificates, where the environment names them.
 * @throws LoomError INVALID_ARGUMENT for a file of certificates that cannot be read
 */
export function createOutboundFetch({ httpProxy, httpsProxy, noProxy, extraCertificates }: NetworkConfig): typeof fetch {
  if (httpProxy === '' && httpsProxy === '' && extraCertificates === '') return fetch
  const trusted = extraCertificates === '' ? {} : { ca: [...rootCertificates, readCertificates(extraCertificates)] }
  // The types leave out what the agents behind a proxy take: how to trust the server, and the proxy.
  const options = { httpProxy, httpsProxy, noProxy, connect: trusted, requestTls: trusted, proxyTls: trusted }
  // Made when the first server is called: most starts call none.
  let dispatcher: EnvHttpProxyAgent | null = null
  return ((input: string | URL, init?: Parameters<typeof fetchThrough>[1]) =>
    fetchThrough(input, { ...init, dispatcher: (dispatcher ??= new EnvHttpProxyAgent(options)) })) as unknown as typeof fetch
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new LoomError(
      'INVALID_ARGUMENT',
      `NODE_EXTRA_CA_CERTS: ${path} cannot be read.`,
      { field: 'NODE_EXTRA_CA_CERTS' },
      { cause: error },
    )
  }
}
