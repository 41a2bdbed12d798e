import { ERROR_TABLE, isErrorBody, LoomError, type ErrorCode } from '../../../contract/errors.ts'
import { parseJson, stringifyJson } from '../../../contract/json.ts'
import { isOpName } from '../../../contract/registry.ts'
import { withBigints } from '../../../contract/u64.ts'

/** Calls of operations at the team server, each tried once: who calls decides when to try again. */
export interface ServerLink {
  call(op: string, input: unknown, options?: { readonly signal?: AbortSignal }): Promise<Record<string, unknown>>
}

/** No answer comes later than this, in milliseconds: the server gives a push 20 s. */
const TIMEOUT_MS = 60_000

/** The same again does no harm: a connection that the server had let go is told only when it is used. */
const REPEATABLE = new Set(['sync.push', 'device.register'])

const wasReset = (error: unknown): boolean => {
  const code = ((error as Error | null)?.cause as { code?: string } | undefined)?.code
  return code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE'
}

export interface LinkOptions {
  readonly serverUrl: string
  readonly token?: string
  readonly fetch: typeof fetch
}

function read(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

/** What an answer means that is none of ours, as of a proxy between. */
function foreign(response: Response): LoomError {
  const { status } = response
  const named = (Object.keys(ERROR_TABLE) as ErrorCode[]).find((code) => ERROR_TABLE[code].status === status)
  const code: ErrorCode = status < 500 && named !== undefined && status !== 404 ? named : 'UNAVAILABLE'
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new LoomError(code, `Something that is not a Loom server answered with status ${status}. Check its address.`, {
    ...(Number.isFinite(wait) && { retry_after_s: wait }),
  })
}

/** @throws LoomError as the server answers; UNAVAILABLE where it cannot be reached, or something else answers. */
export function serverLink({ serverUrl, token, fetch: send }: LinkOptions): ServerLink {
  const headers = { 'content-type': 'application/json', ...(token !== undefined && token !== '' && { authorization: `Bearer ${token}` }) }
  return {
    async call(op, input, { signal } = {}) {
      const ends = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])])
      const request = { method: 'POST', headers, body: stringifyJson(input), signal: ends, redirect: 'error' as const }
      let response = new Response()
      let text = ''
      const ask = async (): Promise<void> => {
        response = await send(`${serverUrl}/v1/${encodeURIComponent(op)}`, request)
        text = await response.text()
      }
      try {
        await ask().catch((error: unknown) => {
          if (!REPEATABLE.has(op) || !wasReset(error)) throw error
          return ask()
        })
      } catch (error) {
        throw unreachable(serverUrl, error)
      }
      const body = read(text)
      if (response.ok) {
        if (typeof body !== 'object' || body === null) throw foreign(response)
        return isOpName(op) ? withBigints(op, body as Record<string, unknown>) : (body as Record<string, unknown>)
      }
      if (!isErrorBody(body)) throw foreign(response)
      const { code, message, category: _category, retryable: _retryable, ...fields } = body.detail
      throw new LoomError(code, message, fields)
    },
  }
}

function reasonOf(cause: unknown): string {
  // Its message quotes what came, which is somebody's memory.
  if (cause instanceof SyntaxError) return 'its answer was cut off'
  return cause instanceof Error ? ((cause.cause as { code?: string } | undefined)?.code ?? cause.message) : String(cause)
}

export function unreachable(serverUrl: string, cause: unknown): LoomError {
  const why = reasonOf(cause)
  return new LoomError(
    'UNAVAILABLE',
    `The team server at ${new URL(serverUrl).host} cannot be reached (${why}). Try again once it can.`,
    {},
    { cause },
  )
}
