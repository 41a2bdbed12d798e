import { ERROR_TABLE } from '../contract/errors.ts'
import { REGISTRY, isOpName, type CallInputOf, type OpName, type OutputOf } from '../contract/registry.ts'
import { withBigints } from '../contract/u64.ts'
import { createCoalescer, type CoalescedSet } from './coalesce.ts'
import { Cancelled, Unavailable, raise, type ClientError } from './errors.ts'
import type { CallMeta, Link, LinkEvent, Reply } from './link.ts'

export interface CallOptions {
  readonly signal?: AbortSignal
  /** One's own key for a write; one is made for each write otherwise. */
  readonly idempotencyKey?: string
  /** Told what comes of an operation that tells (`progress` of its contract) while it works. A call tried again begins anew. */
  readonly progress?: (told: Record<string, unknown>) => void
}

type PlainCall<N extends OpName> =
  {} extends CallInputOf<N>
    ? (input?: CallInputOf<N>, options?: CallOptions) => Promise<OutputOf<N>>
    : (input: CallInputOf<N>, options?: CallOptions) => Promise<OutputOf<N>>

/** With options of its own (`{}` is enough) a set goes alone; without, it may go with others of a burst, and says so. */
interface SetCall {
  (input: CallInputOf<'memory.set'>, options: CallOptions): Promise<OutputOf<'memory.set'>>
  (
    input: CallInputOf<'memory.set'>,
  ): Promise<Omit<OutputOf<'memory.set'>, 'content_sha256'> & { content_sha256?: string; coalesced?: CoalescedSet['coalesced'] }>
}

export type Call<N extends OpName> = N extends 'memory.set' ? SetCall : PlainCall<N>

type Head<P extends string> = P extends `${infer First}.${string}` ? First : P
type ChildOf<P extends string, N = OpName> = N extends `${P}.${infer Rest}` ? Head<Rest> : never
type NodeAt<P extends string> = (P extends OpName ? Call<P> : unknown) & { readonly [C in ChildOf<P>]: NodeAt<`${P}.${C}`> }

/** One method per operation, under its wire name: `client.memory.set(…)`. */
export type Methods = { readonly [H in Head<OpName>]: NodeAt<H> }

export type Client = Methods & {
  /** Any operation by its name, without types. */
  call(op: string, input?: unknown, options?: CallOptions): Promise<Record<string, unknown>>
  /** Follows what changes in the engine, until the returned function is called. */
  events(listener: (event: LinkEvent) => void): () => void
}

export interface ClientOptions {
  /** Tries of one call, the first included. */
  readonly attempts?: number
  /** Wait before a second try where the answer names none; doubles. Milliseconds. */
  readonly backoffMs?: number
  /** The longest wait an answer may ask for; a longer one is raised at once. Milliseconds. */
  readonly longestWaitMs?: number
  /** false: each memory.set goes by itself, however many there are. */
  readonly coalesce?: boolean
}

const DEFAULTS: Required<ClientOptions> = { attempts: 3, backoffMs: 100, longestWaitMs: 60_000, coalesce: true }

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new Cancelled('The call was cancelled by its caller.', {}, { cause: signal?.reason }))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** True for what may go better next time: no answer, 408, 429, and 5xx unless the answer says that it will not. */
function worthRetrying(reply: Reply | null): boolean {
  if (reply === null) return true
  if (reply.ok) return false
  const status = reply.status ?? ERROR_TABLE[reply.error.code].status
  return status === 408 || status === 429 || (status >= 500 && reply.error.retryable)
}

function askedWaitMs(reply: Reply | null): number | null {
  const seconds = reply !== null && !reply.ok ? reply.error.retry_after_s : undefined
  return typeof seconds === 'number' && seconds >= 0 ? seconds * 1000 : null
}

function isWrite(op: string): boolean {
  return isOpName(op) ? REGISTRY[op].kind === 'write' : true
}

/**
 * The typed client. Connection errors, 408 and 5xx are tried up to three times, a write under one idempotency key;
 * 429 and 503 wait as long as the answer says.
 */
export function createClient(link: Link, options: ClientOptions = {}): Client {
  const { attempts, backoffMs, longestWaitMs, coalesce } = { ...DEFAULTS, ...options }

  async function attempt(op: string, input: unknown, meta: CallMeta): Promise<{ reply: Reply | null; cause?: unknown }> {
    try {
      return { reply: await link.call(op, input, meta) }
    } catch (cause) {
      if (meta.signal?.aborted) throw new Cancelled('The call was cancelled by its caller.', {}, { cause })
      return { reply: null, cause }
    }
  }

  async function call(op: string, input: unknown = {}, given: CallOptions = {}): Promise<Record<string, unknown>> {
    const key = given.idempotencyKey ?? (isWrite(op) ? crypto.randomUUID() : undefined)
    const meta: CallMeta = {
      ...(key === undefined ? {} : { idempotencyKey: key }),
      ...(given.signal === undefined ? {} : { signal: given.signal }),
      ...(given.progress === undefined ? {} : { progress: given.progress }),
    }
    for (let tried = 1; ; tried++) {
      const { reply, cause } = await attempt(op, input, meta)
      if (reply?.ok) return isOpName(op) ? withBigints(op, reply.value) : reply.value
      const failure: ClientError =
        reply === null ? new Unavailable('Loom does not answer. Is it running?', {}, { cause }) : raise(reply.error)
      const wait = askedWaitMs(reply) ?? backoffMs * 2 ** (tried - 1)
      if (tried >= attempts || wait > longestWaitMs || !worthRetrying(reply)) throw failure
      await sleep(wait, given.signal)
    }
  }

  const made = methods(call)
  if (coalesce) gatherBursts(made, call)
  return Object.assign(made, { call, events: (listener: (event: LinkEvent) => void) => link.listen(listener) })
}

/** Sets without options of their own may go together; `client.call` sends each call as it is. */
function gatherBursts(made: Methods, call: Client['call']): void {
  const gather = createCoalescer({
    set: (input) => call('memory.set', input) as Promise<OutputOf<'memory.set'>>,
    bulk: (input) => call('memory.bulk_set', input) as Promise<OutputOf<'memory.bulk_set'>>,
    byId: (input) => call('memory.get_by_id', input) as Promise<OutputOf<'memory.get_by_id'>>,
  })
  const set = (input: CallInputOf<'memory.set'>, options?: CallOptions): Promise<unknown> =>
    options === undefined ? gather(input) : call('memory.set', input, options)
  Object.assign(made.memory, { set })
}

/** The tree of methods that the names of the registry spell. */
function methods(call: Client['call']): Methods {
  const root: Record<string, unknown> = {}
  for (const name of Object.keys(REGISTRY)) {
    const path = name.split('.')
    const last = path.pop() ?? name
    let node = root
    for (const step of path) node = (node[step] ??= {}) as Record<string, unknown>
    const method = (input?: unknown, options?: CallOptions): Promise<unknown> => call(name, input, options)
    node[last] = Object.assign(method, node[last])
  }
  return root as unknown as Methods
}
