/** The closed table of errors. Every answer that is not a success carries one of these codes. */

interface ErrorRow {
  readonly status: number
  readonly category: 'request' | 'auth' | 'state' | 'limit' | 'server'
  readonly retryable: boolean
  readonly when: string
}

export const ERROR_TABLE = {
  INVALID_JSON: { status: 400, category: 'request', retryable: false, when: 'The body is not one JSON object, or its encoding is bad.' },
  MISSING_IDENTITY_FIELD: {
    status: 400,
    category: 'request',
    retryable: false,
    when: 'An identity field is missing and nothing fills it.',
  },
  UNAUTHENTICATED: { status: 401, category: 'auth', retryable: false, when: 'No token, or a bad, expired or revoked one.' },
  FORBIDDEN: { status: 403, category: 'auth', retryable: false, when: 'Role, namespace or a bound of the token does not allow it.' },
  UNKNOWN_OPERATION: { status: 404, category: 'request', retryable: false, when: 'There is no such operation or route.' },
  NOT_FOUND: { status: 404, category: 'state', retryable: false, when: 'A named thing that is not a memory row does not exist.' },
  METHOD_NOT_ALLOWED: { status: 405, category: 'request', retryable: false, when: 'The route does not take this method; see Allow.' },
  PINNED_CONFLICT: { status: 409, category: 'state', retryable: false, when: 'A changed value for a pinned key.' },
  PRECONDITION_FAILED: { status: 409, category: 'state', retryable: false, when: 'if_match_sha256 does not hold; carries current_sha256.' },
  AMBIGUOUS_KEY: { status: 409, category: 'state', retryable: false, when: 'Several live rows hold the key; carries candidates.' },
  EXPIRED: { status: 409, category: 'state', retryable: false, when: 'An update of an expired row without revive.' },
  KEY_HOLDS_FACT: {
    status: 409,
    category: 'state',
    retryable: false,
    when: 'A proposal, or the target of a move, on a key with a live row.',
  },
  ALREADY_EXISTS: { status: 409, category: 'state', retryable: false, when: 'Something that may not be replaced exists already.' },
  IDEMPOTENCY_MISMATCH: { status: 409, category: 'state', retryable: false, when: 'An idempotency key came again with another body.' },
  IN_PROGRESS: { status: 409, category: 'state', retryable: true, when: 'The same work is running already.' },
  PAYLOAD_TOO_LARGE: { status: 413, category: 'limit', retryable: false, when: 'The body is over LOOM_MAX_REQUEST_BYTES.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, category: 'request', retryable: false, when: 'The body is not application/json.' },
  HOST_NOT_ALLOWED: { status: 421, category: 'auth', retryable: false, when: 'Host or Origin is not ours.' },
  UNKNOWN_ARGUMENT: {
    status: 422,
    category: 'request',
    retryable: false,
    when: 'On a write, a near miss of a real field; carries did_you_mean.',
  },
  INVALID_ARGUMENT: {
    status: 422,
    category: 'request',
    retryable: false,
    when: 'Wrong type, range, enum or combination; field is a path.',
  },
  CHAR_LIMIT_EXCEEDED: { status: 422, category: 'limit', retryable: false, when: 'The value is longer than the char_limit of the row.' },
  BLACKLISTED: { status: 422, category: 'state', retryable: false, when: 'The value matches a blacklist pattern.' },
  INVALID_CURSOR: { status: 422, category: 'request', retryable: false, when: 'A cursor that is broken, or that belongs to another list.' },
  SCHEMA_VIOLATION: { status: 422, category: 'request', retryable: false, when: 'A record breaks its schema; carries violations.' },
  ADDRESS_REFUSED: { status: 422, category: 'request', retryable: false, when: 'A webhook URL whose host is not public, or not https.' },
  LOCKED: { status: 423, category: 'state', retryable: false, when: 'A lock guards the row; carries mode, reason, locked_by, until.' },
  RATE_LIMITED: { status: 429, category: 'limit', retryable: true, when: 'Too many calls; carries retry_after_s.' },
  CANCELLED: { status: 499, category: 'request', retryable: true, when: 'The caller went away; nothing was written.' },
  INTERNAL: { status: 500, category: 'server', retryable: true, when: 'A fault of ours, logged under request_id.' },
  NOT_IMPLEMENTED: { status: 501, category: 'server', retryable: false, when: 'A documented field or operation of a later release.' },
  UNAVAILABLE: { status: 503, category: 'server', retryable: true, when: 'Starting, shutting down, or the store cannot be reached.' },
  STORAGE_FULL: { status: 507, category: 'server', retryable: false, when: 'The disk refuses a write; nothing was written.' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERROR_TABLE

/** Fields beside code and message, such as `field`, `did_you_mean`, `current_sha256` or `candidates`. */
export type ErrorFields = Readonly<Record<string, unknown>>

/** The one error class of Loom. Compare `code`, never the class, where an error crossed a boundary. */
export class LoomError extends Error {
  readonly code: ErrorCode
  readonly fields: ErrorFields

  constructor(code: ErrorCode, message: string, fields: ErrorFields = {}, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'LoomError'
    this.code = code
    this.fields = fields
  }
}

export interface ErrorDetail {
  readonly code: ErrorCode
  readonly message: string
  readonly category: string
  readonly retryable: boolean
  readonly request_id: string
  readonly [field: string]: unknown
}

/** The documented body of an error answer (API026). */
export interface ErrorBody {
  readonly detail: ErrorDetail
}

/** True for an error that carries one of our codes, wherever it was made. */
export function isLoomError(error: unknown): error is LoomError {
  return error instanceof Error && typeof (error as Partial<LoomError>).code === 'string' && (error as LoomError).code in ERROR_TABLE
}

/** True for the body of an error answer, of whatever release. */
export function isErrorBody(value: unknown): value is ErrorBody {
  const detail = (value as Partial<ErrorBody> | null | undefined)?.detail
  return typeof detail === 'object' && detail !== null && Object.hasOwn(ERROR_TABLE, detail.code)
}

export function statusOf(code: ErrorCode): number {
  return ERROR_TABLE[code].status
}

/** Body of an error answer. An error that is none of ours shows as INTERNAL, without its cause. */
export function errorBody(error: unknown, requestId: string): ErrorBody {
  const known = isLoomError(error)
    ? error
    : new LoomError('INTERNAL', `Something went wrong inside Loom. Try again; the log has the cause under ${requestId}.`)
  const { category, retryable } = ERROR_TABLE[known.code]
  return { detail: { ...known.fields, code: known.code, message: known.message, category, retryable, request_id: requestId } }
}
