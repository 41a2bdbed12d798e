import { sql } from 'kysely'
import type { Logger } from 'pino'
import { LoomError } from '../../contract/errors.ts'
import type { Database } from '../db/database.ts'
import { NO_STORE, type ShapeAnswer } from './answers.ts'
import { filterText, sha256, type ShapeFilter } from './filters.ts'
import { createHandle, endHandles, lockShapes } from './handles.ts'
import { columnsHash, MUST_REFETCH } from './protocol.ts'
import type { ShapeRequest } from './request.ts'
import type { ServedShape } from './served.ts'
import { parameters, quoteName } from './statement.ts'

export interface ElectricOptions {
  readonly database: Database
  /** Address of the service; a query in it (`?secret=…`) is sent with every request. */
  readonly url: string
  readonly log: Pick<Logger, 'warn'>
  readonly clock: () => number
}

/** What is passed on for one follower. */
export interface Passage {
  readonly request: ShapeRequest
  readonly shape: ServedShape
  readonly filter: ShapeFilter
  readonly etags: string | null
  readonly signal: AbortSignal
  /** Whether the token still has this filter. @throws LoomError when it is not good any more. */
  readonly isSame: () => Promise<boolean>
}

export interface Electric {
  /** True for a shape that the service can hold: its filter reads its own columns alone. */
  holds(shape: ServedShape): boolean
  /** Asks the service for the part that a follower wants, of the rows that its token may have. */
  pass(passage: Passage): Promise<ShapeAnswer>
  /** Deletes there the shapes that were ended here. @throws LoomError UNAVAILABLE when the service refuses or is away. */
  removeGone(): Promise<void>
}

/** Headers of the service's answers that a follower is to have. */
const PASSED = /^(electric-|etag$|content-type$|retry-after$)/
const ANSWERS = new Set([200, 304, 400, 409])

/** Electric behind our gate: each request is written anew from the token, and nothing of the follower's is merged in. */
export function createElectric({ database, url, log, clock }: ElectricOptions): Electric {
  function addressOf(definition: string): URL {
    const address = new URL(url)
    address.pathname = `${address.pathname.replace(/\/+$/, '')}/v1/shape`
    for (const [name, value] of new URLSearchParams(definition)) address.searchParams.set(name, value)
    return address
  }

  async function ask(address: URL, init: RequestInit): Promise<Response> {
    try {
      return await fetch(address, init)
    } catch (error) {
      if (init.signal?.aborted) throw new LoomError('CANCELLED', 'The caller went away.', {}, { cause: error })
      throw away(error)
    }
  }

  /** Notes that the service holds a shape, so that an erasure finds it. */
  async function note(shape: ServedShape, filter: ShapeFilter, definition: string): Promise<void> {
    const { org } = filter
    const sha = sha256(filterText(filter))
    const seen = await sql`UPDATE loom.shape_handle SET read_at = ${new Date(clock())} WHERE org = ${org} AND shape = ${shape.name}
      AND filter_sha256 = ${sha} AND columns_sha256 = ${columnsHash(shape)} AND served_by = 'electric' AND gone_at IS NULL`.execute(
      database.reader,
    )
    if ((seen.numAffectedRows ?? 0n) > 0n) return
    await database.transaction(async (tx) => {
      await lockShapes(tx, database.kind, org)
      const { rows } = await sql<{ handle: string }>`SELECT handle FROM loom.shape_handle WHERE org = ${org} AND shape = ${shape.name}
        AND filter_sha256 = ${sha} AND gone_at IS NULL`.execute(tx)
      const now = new Date(clock())
      await endHandles(
        tx,
        org,
        rows.map((row) => row.handle),
        now,
      )
      const { handle } = await createHandle(tx, { shape, filter, servedBy: 'electric', now, chunkBytes: 1 })
      await sql`UPDATE loom.shape_handle SET definition = ${definition} WHERE org = ${org} AND handle = ${handle}`.execute(tx)
    })
    await removeGone()
  }

  async function pass({ request, shape, filter, etags, signal, isSame }: Passage): Promise<ShapeAnswer> {
    const definition = definitionOf(shape, filter)
    if (request.initial) await note(shape, filter, definition)
    const address = addressOf(definition)
    address.searchParams.set('offset', request.offsetText)
    if (request.handle !== '') address.searchParams.set('handle', request.handle)
    if (request.live) address.searchParams.set('live', 'true')
    if (request.sse) address.searchParams.set('live_sse', 'true')
    if (request.cursor !== null) address.searchParams.set('cursor', request.cursor)
    const response = await ask(address, { signal, headers: etags === null ? {} : { 'if-none-match': etags } })
    if (!ANSWERS.has(response.status)) {
      await response.body?.cancel()
      log.warn({ status: response.status, shape: shape.name }, 'the Electric service refused a request')
      throw away(null)
    }
    const current = await isSame().catch(async (error: unknown) => {
      await response.body?.cancel()
      throw error
    })
    if (!current) {
      await response.body?.cancel()
      return { status: 409, headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': NO_STORE }, body: MUST_REFETCH }
    }
    const headers = Object.fromEntries([...response.headers].filter(([name]) => PASSED.test(name)))
    return {
      status: response.status,
      headers: { ...headers, 'cache-control': request.sse ? `${NO_STORE}, no-transform` : NO_STORE },
      body: response.body === null ? '' : piecesOf(response.body, request.sse ? isSame : null),
    }
  }

  async function removeGone(): Promise<void> {
    const { rows } = await sql<{ org: string; handle: string; definition: string }>`SELECT org, handle, definition FROM loom.shape_handle
      WHERE gone_at IS NOT NULL AND served_by = 'electric' ORDER BY gone_at LIMIT 1000`.execute(database.reader)
    for (const { org, handle, definition } of rows) {
      // Matched there by the whole definition: what was followed under the same filter with other columns stays.
      const response = await ask(addressOf(definition), { method: 'DELETE' })
      await response.body?.cancel()
      if (!response.ok && response.status !== 404) {
        log.warn({ status: response.status, org }, 'the Electric service did not delete a shape')
        throw away(null)
      }
      await sql`DELETE FROM loom.shape_handle WHERE org = ${org} AND handle = ${handle} AND gone_at IS NOT NULL`.execute(database.reader)
    }
  }

  return { holds: (shape) => shape.electric !== null, pass, removeGone }
}

function away(cause: unknown): LoomError {
  return new LoomError('UNAVAILABLE', 'The Electric service does not answer as it should. Try again.', { retry_after_s: 5 }, { cause })
}

/** A shape under a filter as the service knows it: table, condition with its values, columns. */
function definitionOf(shape: ServedShape, filter: ShapeFilter): string {
  const { bind, values } = parameters()
  const where = shape.electric?.(filter, bind) ?? 'false'
  const query = new URLSearchParams({
    table: shape.relation.join('.'),
    where,
    columns: shape.columns.map(({ name }) => quoteName(name)).join(','),
  })
  for (const [at, value] of values.entries()) query.set(`params[${at + 1}]`, String(value))
  return query.toString()
}

/** The body as it comes. A stream ends when its token is not what it was. */
async function* piecesOf(body: ReadableStream<Uint8Array>, isSame: (() => Promise<boolean>) | null): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (isSame !== null && !(await isSame().catch(() => false))) return
      yield next.value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
