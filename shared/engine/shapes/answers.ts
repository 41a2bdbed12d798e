import { randomBytes } from 'node:crypto'
import type { LogEntry } from './fan-out.ts'
import { formatOffset, MUST_REFETCH, nextCursor, schemaHeader, upToDate, type Offset } from './protocol.ts'
import type { ShapeFault, ShapeRequest } from './request.ts'
import type { ServedShape } from './served.ts'

/** An answer of the shape protocol, for a transport to send as it is. */
export interface ShapeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Whole, or piece by piece as it comes. */
  readonly body: string | AsyncIterable<string | Uint8Array>
}

/** Rows of a token: no cache between may keep them, it would outlive a revocation and an erasure. */
export const NO_STORE = 'private, no-store'
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8', 'cache-control': NO_STORE }

/** A part of a log, and where it leaves the follower. */
export interface Part {
  readonly handle: string
  readonly entries: readonly LogEntry[]
  readonly end: Offset
  /** The follower then has everything that is there. */
  readonly complete: boolean
  readonly lsn: bigint
}

function headersOf(request: ShapeRequest, shape: ServedShape, part: Part, now: number, longPollMs: number): Record<string, string> {
  const unique = part.entries.length > 0 || !request.live ? '' : `:${randomBytes(6).toString('base64url')}`
  return {
    'cache-control': NO_STORE,
    'electric-handle': part.handle,
    'electric-offset': formatOffset(part.end),
    ...(request.live ? { 'electric-cursor': nextCursor(request.cursor, now, longPollMs) } : { 'electric-schema': schemaHeader(shape) }),
    ...(part.complete && { 'electric-up-to-date': '' }),
    etag: `"${part.handle}:${request.offsetText}:${formatOffset(part.end)}${unique}"`,
  }
}

export interface AnswerContext {
  readonly request: ShapeRequest
  readonly shape: ServedShape
  readonly now: number
  readonly longPollMs: number
}

/** One part as a JSON array; 304 when the follower says that it has it. */
export function partAnswer({ request, shape, now, longPollMs }: AnswerContext, part: Part, etags: string | null): ShapeAnswer {
  const headers = headersOf(request, shape, part, now, longPollMs)
  const given = (etags ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (!request.live && given.includes(headers['etag'] ?? '')) return { status: 304, headers, body: '' }
  const messages = part.entries.map((entry) => entry.body)
  if (part.complete) messages.push(upToDate(part.lsn))
  return { status: 200, headers: { ...JSON_TYPE, ...headers }, body: `[${messages.join(',\n')}]` }
}

/** Answers as server-sent events, for as long as `events` goes on. */
export function eventAnswer({ request, shape, now, longPollMs }: AnswerContext, part: Part, events: AsyncIterable<string>): ShapeAnswer {
  const { etag: _, ...headers } = headersOf(request, shape, { ...part, complete: false }, now, longPollMs)
  return {
    status: 200,
    headers: { ...headers, 'content-type': 'text/event-stream', 'cache-control': `${NO_STORE}, no-transform`, 'x-accel-buffering': 'no' },
    body: events,
  }
}

/** The handle is not the one of this token's shape any more: start over, with the one named. */
export function refetchAnswer(handle: string): ShapeAnswer {
  return { status: 409, headers: { ...JSON_TYPE, 'electric-handle': handle }, body: MUST_REFETCH }
}

export function faultAnswer({ message, errors }: ShapeFault): ShapeAnswer {
  return { status: 400, headers: JSON_TYPE, body: JSON.stringify({ message, errors }) }
}

export function eventOf(message: string): string {
  return `data: ${message}\n\n`
}
