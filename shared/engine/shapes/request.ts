import { LoomError } from '../../contract/errors.ts'
import { BEFORE_ALL, parseOffset, type Offset } from './protocol.ts'

/** One request for a part of a shape's log, as its query says. */
export interface ShapeRequest {
  readonly table: string
  /** `now`: nothing of what is there, only where it ends. */
  readonly offset: Offset | 'now'
  /** The offset as it was sent. */
  readonly offsetText: string
  /** Everything from the start is asked for: a handle that is named means nothing. */
  readonly initial: boolean
  readonly handle: string
  readonly live: boolean
  readonly sse: boolean
  readonly cursor: string | null
}

/** A request that the protocol itself refuses, in the protocol's own form: 400 with messages by parameter. */
export class ShapeFault extends Error {
  readonly errors: Readonly<Record<string, readonly string[]>>

  constructor(errors: Readonly<Record<string, readonly string[]>>) {
    super('Invalid request')
    this.name = 'ShapeFault'
    this.errors = errors
  }
}

/** What would choose rows, columns or form, and names of an identity, which the token says. */
const REFUSED = /^(where|columns|params(\[.*)?|replica|log|subset__.*|org|namespace|agent|user_id|session_id)$/
/** The client sends these by itself, with the one value that asks for nothing. */
const IDLE: Readonly<Record<string, string>> = { log: 'full', replica: 'default' }

/**
 * Reads a query.
 * @throws LoomError INVALID_ARGUMENT for a parameter that would choose rows, columns or form: the server fixes these.
 * @throws ShapeFault for what the protocol forbids.
 */
export function readShapeRequest(query: URLSearchParams): ShapeRequest {
  for (const [name, value] of query) {
    if (!REFUSED.test(name) || IDLE[name] === value) continue
    throw new LoomError(
      'INVALID_ARGUMENT',
      `${name.slice(0, 60)} may not be sent: the server fixes rows, columns and form of a shape from the token. Send table, offset, handle, live, live_sse and cursor.`,
      { field: name.slice(0, 60) },
    )
  }
  const is = (name: string): boolean => query.has(name) && query.get(name) !== 'false'
  const offsetText = query.get('offset')
  const handle = query.get('handle') ?? ''
  const live = is('live')
  const sse = query.get('live_sse') === 'true' || query.get('experimental_live_sse') === 'true'
  if (offsetText === null || offsetText === '') throw new ShapeFault({ offset: ["can't be blank"] })
  const offset = offsetText === 'now' ? offsetText : parseOffset(offsetText)
  if (offset === null) throw new ShapeFault({ offset: ['has invalid format'] })
  const initial = offset === 'now' || offset.tx === BEFORE_ALL.tx
  if (!initial && handle === '') throw new ShapeFault({ handle: ["can't be blank when offset != -1"] })
  if (initial && live) throw new ShapeFault({ live: [`can't be true when offset ${offset === 'now' ? "is 'now'" : '== -1'}`] })
  if (sse && !live) throw new ShapeFault({ live_sse: ["can't be true unless live is also true"] })
  const table = query.get('table') ?? ''
  if (table === '') throw new ShapeFault({ table: ["can't be blank"] })
  return { table, offset, offsetText, initial, handle, live, sse, cursor: query.get('cursor') }
}
