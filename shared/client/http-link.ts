import { readFrames } from '../contract/event-frames.ts'
import { ERROR_TABLE, isErrorBody, type ErrorCode, type ErrorDetail } from '../contract/errors.ts'
import type { EngineEvent } from '../contract/events.ts'
import { parseJson, stringifyJson } from '../contract/json.ts'
import type { CallMeta, Link, LinkEvent, Reply } from './link.ts'

export interface HttpLinkOptions {
  /** Address of the host; LOOM_BASE_URL, else http://localhost:7777. */
  readonly baseUrl?: string
  /** Bearer token, needed in multi-user mode; LOOM_API_KEY when left out. */
  readonly token?: string
  readonly fetch?: typeof fetch
}

const RECONNECT_MS = 1000

/** A variable of the process's environment, where there is a process (this also runs in a browser). */
function fromEnvironment(name: string): string | undefined {
  const host = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } }
  const value = host.process?.env?.[name]
  return value === '' ? undefined : value
}

/** What an answer means that is none of ours, as of a proxy between. */
function foreignError(response: Response): ErrorDetail {
  const { status } = response
  const named = (Object.keys(ERROR_TABLE) as ErrorCode[]).find((code) => ERROR_TABLE[code].status === status)
  const code: ErrorCode = status === 408 || status === 502 || status === 504 ? 'UNAVAILABLE' : (named ?? 'INTERNAL')
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return {
    code,
    message: `Something that is not Loom answered with status ${status}. Check the address.`,
    category: ERROR_TABLE[code].category,
    retryable: status >= 500 || ERROR_TABLE[code].retryable,
    request_id: response.headers.get('x-request-id') ?? '',
    ...(Number.isFinite(retryAfter) ? { retry_after_s: retryAfter } : {}),
  }
}

function read(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

const textOf = (body: ReadableStream<Uint8Array>) =>
  body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader()

/** Reads Server-Sent Events until the stream ends. */
async function readEvents(body: ReadableStream<Uint8Array>, listener: (event: EngineEvent) => void): Promise<void> {
  await readFrames(textOf(body), ({ data }) => {
    const event = read(data)
    if (event !== null) listener(event as EngineEvent)
  })
}

/** The answer at the end of a stream that tells of its progress; null where the stream broke off before it. */
async function readTold(body: ReadableStream<Uint8Array>, progress: (told: Record<string, unknown>) => void): Promise<Reply | null> {
  let reply: Reply | null = null
  await readFrames(textOf(body), ({ event, data }) => {
    const told = read(data)
    if (event === 'progress') progress(told as Record<string, unknown>)
    else if (event === 'answer') reply = { ok: true, value: told as Record<string, unknown> }
    else if (event === 'error' && isErrorBody(told)) reply = { ok: false, error: told.detail }
  })
  return reply
}

/** The road to a running host over HTTP. */
export function httpLink(options: HttpLinkOptions = {}): Link {
  const baseUrl = (options.baseUrl ?? fromEnvironment('LOOM_BASE_URL') ?? 'http://localhost:7777').replace(/\/+$/, '')
  const token = options.token ?? fromEnvironment('LOOM_API_KEY')
  const send = options.fetch ?? globalThis.fetch.bind(globalThis)
  const identity: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }

  async function call(op: string, input: unknown, meta: CallMeta): Promise<Reply> {
    const response = await send(`${baseUrl}/v1/${encodeURIComponent(op)}`, {
      method: 'POST',
      headers: {
        ...identity,
        'content-type': 'application/json',
        ...(meta.progress && { accept: 'text/event-stream' }),
        ...(meta.idempotencyKey === undefined ? {} : { 'idempotency-key': meta.idempotencyKey }),
      },
      body: stringifyJson(input),
      ...(meta.signal === undefined ? {} : { signal: meta.signal }),
    })
    if (meta.progress && response.body && response.headers.get('content-type') === 'text/event-stream') {
      const reply = await readTold(response.body, meta.progress)
      if (reply === null) throw new Error('The answer broke off.')
      return reply
    }
    const body = read(await response.text())
    if (isErrorBody(body)) return { ok: false, error: body.detail, status: response.status }
    if (response.ok && typeof body === 'object' && body !== null) return { ok: true, value: body as Record<string, unknown> }
    return { ok: false, error: foreignError(response), status: response.status }
  }

  // A browser opens few connections to one host: however many listen, they share one.
  const listeners = new Set<{ readonly tell: (event: LinkEvent) => void }>()
  let following: AbortController | null = null

  const tellAll = (event: LinkEvent): void => {
    for (const { tell } of listeners) tell(event)
  }

  async function follow(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      try {
        const response = await send(`${baseUrl}/v1/events`, { headers: identity, signal: stop })
        if (response.ok && response.body !== null) {
          tellAll({ type: 'stream.opened' })
          await readEvents(response.body, tellAll)
        } else if (response.status < 500) {
          // A refusal does not go away by asking again.
          return
        }
      } catch {
        if (stop.aborted) return
      }
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
    }
  }

  function listen(tell: (event: LinkEvent) => void): () => void {
    const listener = { tell }
    listeners.add(listener)
    if (following === null) {
      const begun = new AbortController()
      following = begun
      void follow(begun.signal).finally(() => {
        if (following === begun) following = null
      })
    }
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      following?.abort()
      following = null
    }
  }

  return { call, listen }
}
