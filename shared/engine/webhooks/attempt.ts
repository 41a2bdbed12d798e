import type { LookupAddress } from 'node:dns'
import type { Agent } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { isLoomError } from '../../contract/errors.ts'
import { checkedAddresses } from './addresses.ts'
import { post } from './post.ts'
import type { Webhooks } from './webhooks.ts'

export interface Attempt {
  readonly url: URL
  readonly secret: Uint8Array
  readonly eventId: string
  readonly body: string
  /** Connections kept for one webhook; left out, the POST has one of its own. */
  readonly agentFor?: (addresses: readonly LookupAddress[]) => Agent
}

/** What the receiver answered. Neither: cancelled, so that nothing is known. */
export interface Answered {
  readonly status: number | null
  readonly error: string
  readonly cancelled: boolean
}

const CANCELLED: Answered = { status: null, error: '', cancelled: true }

export const isAcknowledged = ({ status }: Answered): boolean => status !== null && status >= 200 && status < 300

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : 'UNKNOWN'
}

/** Settles as `work` does, or rejects when `signal` ends first: a look-up of a name cannot be stopped. */
async function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let stop = (): void => {}
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error)
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([work, ended])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Sends one event, signed for this attempt, to an address that was checked for it. The ack timeout covers all from the
 * look-up of the name to the status line.
 */
export async function attempt(
  { url, secret, eventId, body, agentFor }: Attempt,
  webhooks: Pick<Webhooks, 'config' | 'resolve' | 'ca'>,
  at: Date,
  signal: AbortSignal,
): Promise<Answered> {
  const { config, resolve, ca } = webhooks
  if (signal.aborted) return CANCELLED
  const over = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    over.abort()
  }, config.ackTimeout * 1000)
  const stop = (): void => over.abort()
  signal.addEventListener('abort', stop)
  try {
    const looked = checkedAddresses(url, config, resolve)
    looked.catch(() => {})
    const addresses = await until(looked, over.signal)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Loom-Webhook/1',
      'webhook-id': eventId,
      'webhook-timestamp': Math.floor(at.getTime() / 1000).toString(),
      'webhook-signature': new Webhook(secret, { format: 'raw' }).sign(eventId, at, body),
    }
    const status = await post({ url, addresses, headers, body, agent: agentFor?.(addresses) ?? false, ca, signal: over.signal })
    return { status, error: '', cancelled: false }
  } catch (error) {
    if (signal.aborted) return CANCELLED
    if (isLate) return { status: null, error: 'timeout', cancelled: false }
    if (isLoomError(error)) return { status: null, error: 'address refused', cancelled: false }
    return { status: null, error: `connection: ${codeOf(error)}`, cancelled: false }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
