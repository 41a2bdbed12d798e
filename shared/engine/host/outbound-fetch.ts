import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import type { Dispatcher, fetch as fetchThrough } from 'undici'
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

/** Variables that every program knows, in either case; none is ours. A set but empty one counts as unset, and hides no other. */
export function networkOf(env: Environment): NetworkConfig {
  const either = (name: string): string => env[name.toLowerCase()] || env[name] || ''
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
export function createOutboundFetch(network: NetworkConfig): typeof fetch {
  const { httpProxy, httpsProxy, extraCertificates } = network
  return httpProxy === '' && httpsProxy === '' && extraCertificates === '' ? fetch : createLines(network).fetch
}

/** Lines to others, which are kept open for the next call. */
export interface Lines {
  readonly fetch: typeof fetch
  /** Uses none of those again that are open now: after a sleep they may be dead, and nobody tells. What runs on them goes on. */
  forget(): void
}

/**
 * The same fetch, on lines of its own.
 * @throws LoomError INVALID_ARGUMENT for a file of certificates that cannot be read
 */
export function createLines({ httpProxy, httpsProxy, noProxy, extraCertificates }: NetworkConfig): Lines {
  const trusted = extraCertificates === '' ? {} : { ca: [...rootCertificates, readCertificates(extraCertificates)] }
  // The types leave out what the agents behind a proxy take: how to trust the server, and the proxy.
  const options = { httpProxy, httpsProxy, noProxy, connect: trusted, requestTls: trusted, proxyTls: trusted }
  // Read and made when the first server is called: most starts call none, and it is a sixth of all code.
  let dispatcher: Dispatcher | null = null
  const call = async (input: string | URL, init?: Parameters<typeof fetchThrough>[1]): ReturnType<typeof fetchThrough> => {
    const { Agent, EnvHttpProxyAgent, fetch: through } = await import('undici')
    dispatcher ??= httpProxy === '' && httpsProxy === '' ? new Agent({ connect: trusted }) : new EnvHttpProxyAgent(options)
    return await through(input, { ...init, dispatcher })
  }
  return {
    fetch: call as unknown as typeof fetch,
    forget() {
      dispatcher?.close().catch(() => undefined)
      dispatcher = null
    },
  }
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
