import { errorBody, isLoomError, statusOf, type ErrorBody } from '../contract/errors.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Log } from './log.ts'

/** One JSON answer; integers past 2^53 go out digit for digit. */
export function jsonAnswer(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(stringifyJson(value), {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}

/** Headers that an error answer carries besides its body. */
export function errorHeaders(body: ErrorBody): Record<string, string> {
  const { retry_after_s: retryAfter, allow, code, request_id: requestId } = body.detail
  return {
    'x-request-id': requestId,
    ...(typeof retryAfter === 'number' ? { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) } : {}),
    ...(typeof allow === 'string' ? { allow } : {}),
    ...(code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer' } : {}),
  }
}

/** Writes down a fault of a transport with its cause, which the answer does not show. The engine logs its own. */
export function logFault(log: Log, error: unknown, requestId: string): void {
  if (isLoomError(error)) return
  log.error({ request_id: requestId, err: error }, 'a request failed inside Loom')
}

/** Any failure as the documented error answer. */
export function errorAnswer(error: unknown, requestId: string): Response {
  const body = errorBody(error, requestId)
  return jsonAnswer(body, statusOf(body.detail.code), errorHeaders(body))
}
