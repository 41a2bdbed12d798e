import { FetchError, ShapeStream, type ChangeMessage, type Message, type Offset } from '@electric-sql/client'
import { isErrorBody, LoomError } from '../../../contract/errors.ts'
import type { EngineParts } from '../../parts.ts'
import type { ShapeName } from '../../shapes/definitions.ts'
import { applyChanges } from './apply.ts'
import { applied } from './commit.ts'
import { applyFences } from './fences.ts'
import { takeFirstRows } from './first-rows.ts'
import type { ApplyContext } from './memory-rows.ts'
import type { Connection, SyncOptions } from './port.ts'
import { type RowChange } from './rows.ts'
import { unreachable } from './server-link.ts'
import { clearStaging, hasRows, shapeState, stage, storeState, swapIn, type ShapeState } from './staging.ts'

export interface Follow {
  readonly parts: EngineParts
  readonly connection: Connection
  readonly fetch: SyncOptions['fetch']
  readonly signal: AbortSignal
  /** Goes on after all there was is applied, until the signal. */
  readonly live: boolean
  /** The highest fence applied is now this. */
  readonly onFence?: (seq: bigint) => void
}

const FRESH: ShapeState = { handle: '', shape_offset: '-1', up_to_date: false, staging: false }
/** Values stay text; the client would else make numbers of them and lose digits. */
const asText = (value: string): string => value
const TEXTS = { int2: asText, int4: asText, int8: asText, bool: asText, float4: asText, float8: asText, json: asText, jsonb: asText }
/** No answer takes longer: a poll ends after 20 s. */
const TIMEOUT_MS = 120_000

const isChange = (message: Message): message is ChangeMessage => 'operation' in message.headers

/** Of an empty snapshot it is all there is: its place is kept with what comes next. */
const isSnapshotEnd = ({ headers }: Message): boolean => 'control' in headers && headers.control === 'snapshot-end'

const changesOf = (messages: readonly Message[]): RowChange[] =>
  messages.filter(isChange).map(({ headers, value }) => ({ operation: headers.operation, value }))

/** What a batch of messages does, in the transaction that also stores how far it leads. */
async function applyBatch(
  name: ShapeName,
  messages: readonly Message[],
  place: Pick<ShapeState, 'handle' | 'shape_offset'>,
  context: ApplyContext,
): Promise<void> {
  const { tx, org } = context
  const before = (await shapeState(tx, org, name)) ?? FRESH
  const controls = new Set(messages.map(({ headers }) => ('control' in headers ? headers.control : '')))
  const startsOver = controls.has('must-refetch')
  const isFirst = before.handle === '' && before.shape_offset === '-1' && !before.staging
  const staging = startsOver || isFirst ? await hasRows(tx, org, name) : before.staging
  if (startsOver || isFirst) await clearStaging(tx, org, name)
  const changes = changesOf(messages)
  if (staging) await stage(name, changes, context)
  else await applyChanges(name, changes, context)
  const whole = controls.has('up-to-date')
  // A shape that was whole before, and is told anew, shows what the server has lost.
  if (staging && whole) await swapIn(name, before.up_to_date, context)
  const told = startsOver && changes.length === 0 && !whole
  await storeState(tx, org, name, {
    ...(told ? { handle: '', shape_offset: '-1' } : place),
    up_to_date: whole || (before.up_to_date && staging),
    staging: staging && !whole,
  })
}

/**
 * Brings a shape up to date, and follows it where it is live. Rows and the place in the log are one transaction: a
 * crash repeats a batch, and never skips one.
 * @throws LoomError as the server answers, UNAVAILABLE where it cannot be reached
 */
export async function followShape(name: ShapeName, follow: Follow): Promise<void> {
  const { parts, connection, live, signal } = follow
  const { org, serverUrl, token } = connection
  await takeFirstRows(name, follow)
  const state = await parts.database.transaction((tx) => shapeState(tx, org, name))
  const ended = new AbortController()
  const stop = AbortSignal.any([signal, ended.signal])
  const known = state !== null && state.handle !== ''
  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown): void => {
      if (!signal.aborted) reject(faultOf(error, serverUrl))
      ended.abort()
    }
    if (signal.aborted) {
      resolve()
      return
    }
    stop.addEventListener('abort', () => resolve(), { once: true })
    const stream = new ShapeStream({
      url: `${serverUrl}/v1/shape`,
      params: { table: name },
      headers: { authorization: `Bearer ${token}` },
      parser: TEXTS,
      subscribe: live,
      signal: stop,
      warnOnHttp: false,
      backoffOptions: { initialDelay: 100, maxDelay: 1000, multiplier: 2, maxRetries: 0 },
      fetchClient: (input, init) =>
        follow.fetch(input, {
          ...init,
          signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stop, ...(init?.signal ? [init.signal] : [])]),
        }),
      onError: fail,
      ...(known && { handle: state.handle, offset: state.shape_offset as Offset }),
    })
    stream.subscribe(async (messages) => {
      if (stop.aborted || messages.every(isSnapshotEnd)) return
      try {
        const place = { handle: stream.shapeHandle ?? '', shape_offset: stream.lastOffset }
        await applied(parts, org, (context) => applyBatch(name, messages, place, context))
        if (name === 'erasures') follow.onFence?.(await applyFences(parts, org, stop))
        if (!live && messages.some(({ headers }) => 'control' in headers && headers.control === 'up-to-date')) {
          resolve()
          ended.abort()
        }
      } catch (error) {
        // Stops, and skips nothing: the place stands before the batch that failed.
        fail(error)
      }
    }, fail)
  })
}

/** The line broke, or what came was cut off in the middle. */
const isBroken = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof SyntaxError || (error as Error | null)?.name === 'TimeoutError'

function faultOf(error: unknown, serverUrl: string): unknown {
  if (error instanceof FetchError && error.status < 400) return unreachable(serverUrl, error)
  if (!(error instanceof FetchError)) return isBroken(error) ? unreachable(serverUrl, error) : error
  const body: unknown = error.json
  if (isErrorBody(body)) {
    const { code, message, category: _category, retryable: _retryable, ...fields } = body.detail
    return new LoomError(code, message, fields)
  }
  return new LoomError('UNAVAILABLE', `The shape could not be read: status ${error.status}.`, {}, { cause: error })
}
