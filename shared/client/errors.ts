import { ERROR_TABLE, LoomError, type ErrorCode, type ErrorDetail, type ErrorFields } from '../contract/errors.ts'

/** An answer that was no success, as the client raises it. Compare `code`, or use the class of the code. */
export class ClientError extends LoomError {
  get status(): number {
    return ERROR_TABLE[this.code].status
  }
  get retryable(): boolean {
    return ERROR_TABLE[this.code].retryable
  }
  /** Id under which the host's log has the cause; empty where no host answered. */
  get request_id(): string {
    return typeof this.fields.request_id === 'string' ? this.fields.request_id : ''
  }
}

/** The class of one code, with the fields that its answers carry beside the message. */
function classOf<const C extends ErrorCode>(named: C) {
  return class extends ClientError {
    declare readonly code: C
    constructor(message: string, fields: ErrorFields = {}, options?: { cause?: unknown }) {
      super(named, message, fields, options)
    }
  }
}

export class InvalidJson extends classOf('INVALID_JSON') {}
export class MissingIdentityField extends classOf('MISSING_IDENTITY_FIELD') {}
export class Unauthenticated extends classOf('UNAUTHENTICATED') {}
export class Forbidden extends classOf('FORBIDDEN') {}
export class UnknownOperation extends classOf('UNKNOWN_OPERATION') {}
export class NotFound extends classOf('NOT_FOUND') {}
export class MethodNotAllowed extends classOf('METHOD_NOT_ALLOWED') {}
export class PinnedConflict extends classOf('PINNED_CONFLICT') {}
export class PreconditionFailed extends classOf('PRECONDITION_FAILED') {
  /** Hash of the row as it now is; empty where there is no live row. Read it again, decide, and send this. */
  get current_sha256(): string {
    return typeof this.fields.current_sha256 === 'string' ? this.fields.current_sha256 : ''
  }
}
export class AmbiguousKey extends classOf('AMBIGUOUS_KEY') {}
export class Expired extends classOf('EXPIRED') {}
export class KeyHoldsFact extends classOf('KEY_HOLDS_FACT') {}
export class AlreadyExists extends classOf('ALREADY_EXISTS') {}
export class IdempotencyMismatch extends classOf('IDEMPOTENCY_MISMATCH') {}
export class InProgress extends classOf('IN_PROGRESS') {}
export class PayloadTooLarge extends classOf('PAYLOAD_TOO_LARGE') {}
export class UnsupportedMediaType extends classOf('UNSUPPORTED_MEDIA_TYPE') {}
export class HostNotAllowed extends classOf('HOST_NOT_ALLOWED') {}
export class UnknownArgument extends classOf('UNKNOWN_ARGUMENT') {}
export class InvalidArgument extends classOf('INVALID_ARGUMENT') {}
export class CharLimitExceeded extends classOf('CHAR_LIMIT_EXCEEDED') {}
export class Blacklisted extends classOf('BLACKLISTED') {}
export class InvalidCursor extends classOf('INVALID_CURSOR') {}
export class SchemaViolation extends classOf('SCHEMA_VIOLATION') {}
export class AddressRefused extends classOf('ADDRESS_REFUSED') {}
export class Locked extends classOf('LOCKED') {}
export class RateLimited extends classOf('RATE_LIMITED') {}
export class Cancelled extends classOf('CANCELLED') {}
export class Internal extends classOf('INTERNAL') {}
export class NotImplemented extends classOf('NOT_IMPLEMENTED') {}
export class Unavailable extends classOf('UNAVAILABLE') {}
export class StorageFull extends classOf('STORAGE_FULL') {}

type ErrorClass = new (message: string, fields?: ErrorFields, options?: { cause?: unknown }) => ClientError

/** The class that the client raises for each code. */
export const ERROR_CLASSES: Readonly<Record<ErrorCode, ErrorClass>> = {
  INVALID_JSON: InvalidJson,
  MISSING_IDENTITY_FIELD: MissingIdentityField,
  UNAUTHENTICATED: Unauthenticated,
  FORBIDDEN: Forbidden,
  UNKNOWN_OPERATION: UnknownOperation,
  NOT_FOUND: NotFound,
  METHOD_NOT_ALLOWED: MethodNotAllowed,
  PINNED_CONFLICT: PinnedConflict,
  PRECONDITION_FAILED: PreconditionFailed,
  AMBIGUOUS_KEY: AmbiguousKey,
  EXPIRED: Expired,
  KEY_HOLDS_FACT: KeyHoldsFact,
  ALREADY_EXISTS: AlreadyExists,
  IDEMPOTENCY_MISMATCH: IdempotencyMismatch,
  IN_PROGRESS: InProgress,
  PAYLOAD_TOO_LARGE: PayloadTooLarge,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaType,
  HOST_NOT_ALLOWED: HostNotAllowed,
  UNKNOWN_ARGUMENT: UnknownArgument,
  INVALID_ARGUMENT: InvalidArgument,
  CHAR_LIMIT_EXCEEDED: CharLimitExceeded,
  BLACKLISTED: Blacklisted,
  INVALID_CURSOR: InvalidCursor,
  SCHEMA_VIOLATION: SchemaViolation,
  ADDRESS_REFUSED: AddressRefused,
  LOCKED: Locked,
  RATE_LIMITED: RateLimited,
  CANCELLED: Cancelled,
  INTERNAL: Internal,
  NOT_IMPLEMENTED: NotImplemented,
  UNAVAILABLE: Unavailable,
  STORAGE_FULL: StorageFull,
}

/** The error of an answer's `detail`. */
export function raise(detail: ErrorDetail): ClientError {
  const { code, message, category: _, retryable: __, ...fields } = detail
  return new ERROR_CLASSES[code](message, fields)
}
