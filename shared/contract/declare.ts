import type { z } from 'zod'
import type { Role } from './common.ts'
import type { ErrorCode } from './errors.ts'

export type Kind = 'read' | 'write'
export type Toolset = 'core' | 'all' | 'named' | 'none'
export type Group = 'memory' | 'review' | 'records' | 'knowledge' | 'runs' | 'admin'
export type RateClass = 'read' | 'write' | 'search' | 'bulk' | 'import' | 'admin'
/** `none`: called without a token, by a credential of its own. */
export type OpRole = Role | 'none'

/**
 * What an operation is, without how it works. HTTP, MCP, the command line, the typed client, OpenAPI and the
 * operations reference are all derived from these declarations.
 */
export interface OpContract<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  /** Wire name, `<domain>.<op>`. */
  readonly name: string
  readonly group: Group
  readonly kind: Kind
  /** Least role in every namespace that a call touches. */
  readonly role: OpRole
  /** `none`: refused to tokens bound to one user or session. Left out, they call it for their own rows. */
  readonly bound?: 'none'
  /** The same call twice leaves the same state. */
  readonly idempotent: boolean
  /** Leaves one hash-only audit row per changed row. */
  readonly audited: boolean
  readonly toolset: Toolset
  readonly rate: RateClass
  /** Calls a minute from one address without a token, in place of the budget of the class. */
  readonly perAddress?: number
  /** What a joined desktop does with a write: replay it on the server, keep it, or forward it. */
  readonly sync: 'replay' | 'local' | 'server' | 'none'
  readonly host: 'engine' | 'server' | 'desktop'
  /** An operation of the server that a desktop in multi mode answers too, for its own org. */
  readonly onMultiDesktop?: boolean
  /**
   * Which identity fields a call fills: `exact` addresses the five as filled, `resolve` looks in the whole
   * namespace, `selector` narrows, `namespace` and `org` need only those, `none` needs nothing.
   */
  readonly identity: 'exact' | 'resolve' | 'selector' | 'namespace' | 'org' | 'none'
  /** A platform admin may name another org than its token's. */
  readonly platformNamesOrg?: boolean
  /**
   * What a repeated Idempotency-Key does where the answer holds a secret and is never kept: `refuse` it, or run it
   * `again`. Left out, the kept answer is given.
   */
  readonly onRepeat?: 'refuse' | 'again'
  readonly summary: string
  /** Longer advice for agents, shown after the summary in the tool description. */
  readonly advice?: string
  readonly input: I
  readonly output: O
  /** What a caller who listens is told while the operation works. `text` is for people. */
  readonly progress?: z.ZodObject<{ text: z.ZodString } & z.core.$ZodLooseShape>
  /** Codes beyond the ones that every operation may raise. */
  readonly errors: readonly ErrorCode[]
  /** Fields of which a call names exactly one. */
  readonly needsOneOf?: readonly string[]
  /** Fields that MCP clients are not offered. */
  readonly notOverMcp?: readonly string[]
  readonly example?: { readonly input: unknown; readonly output?: unknown }
}

export type Input<C extends OpContract> = z.output<C['input']>
export type CallInput<C extends OpContract> = z.input<C['input']>
export type Output<C extends OpContract> = z.output<C['output']>

/** Carries the types of a declaration; does nothing else. */
export function declareOp<const I extends z.ZodObject, const O extends z.ZodObject>(contract: OpContract<I, O>): OpContract<I, O> {
  return contract
}

/** Every operation may raise these, whatever its own list says. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'INVALID_JSON',
  'MISSING_IDENTITY_FIELD',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'HOST_NOT_ALLOWED',
  'INVALID_ARGUMENT',
  'RATE_LIMITED',
  'CANCELLED',
  'INTERNAL',
  'NOT_IMPLEMENTED',
  'UNAVAILABLE',
]
/** Every write may raise these too. */
export const WRITE_ERRORS: readonly ErrorCode[] = ['UNKNOWN_ARGUMENT', 'IDEMPOTENCY_MISMATCH', 'IN_PROGRESS', 'STORAGE_FULL']
