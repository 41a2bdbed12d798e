import type { Logger } from 'pino'
import type { Claims } from '../../contract/ops/engine/info.ts'
import type { Database } from '../db/database.ts'
import { storeError } from '../db/store-error.ts'
import { eventAnswer, eventOf, faultAnswer, partAnswer, refetchAnswer, type AnswerContext, type Part, type ShapeAnswer } from './answers.ts'
import { isShapeName } from './definitions.ts'
import type { Electric } from './electric.ts'
import { eraseShapeLogs, type ErasedLogs } from './erase.ts'
import { filterOf, filterText, type ErasureScope, type ShapeFilter } from './filters.ts'
import { OrgFollowers, type KnownHandle } from './followers.ts'
import { compareOffsets, upToDate, type Offset } from './protocol.ts'
import { readAfter, upToSize } from './read-log.ts'
import { readShapeRequest, ShapeFault, type ShapeRequest } from './request.ts'
import { SERVED, type ServedShape } from './served.ts'

export interface ShapesOptions {
  readonly database: Database
  readonly log: Pick<Logger, 'error' | 'warn'>
  readonly clock: () => number
  /** How long a live request waits for news. Default 20,000 ms. */
  readonly longPollMs?: number
  /** How long a stream of events lasts. Default 60,000 ms. */
  readonly sseMs?: number
  /** How often a silent stream says that it lives. Default 21,000 ms. */
  readonly keepAliveMs?: number
  /** Bytes after which a part of a log ends. Default 4 MiB. */
  readonly chunkBytes?: number
  /** How often followers that wait are looked after when nobody says that anything changed. Default 250 ms. */
  readonly pollMs?: number
  /** The Electric service that holds what it can. */
  readonly electric?: Electric
  /** Told of the last transaction that a pass put into the logs. */
  readonly onPass?: (xid: bigint) => void
  /** Shapes other than the product's own, by name: for tests of the protocol. */
  readonly shapes?: ReadonlyMap<string, ServedShape>
  /** The filter of a token; by default what its claims say. */
  readonly filterFor?: (claims: Claims, shape: ServedShape) => ShapeFilter
}

/** One request for a shape. */
export interface ShapeCall {
  readonly claims: Claims
  readonly query: URLSearchParams
  /** Header If-None-Match. */
  readonly etags: string | null
  /** Aborts when the follower is gone or the server is about to close. */
  readonly signal: AbortSignal
  /** Reads the token again: after a wait nothing is sent to one revoked meanwhile. */
  readonly recheck: () => Promise<Claims>
}

export interface Shapes {
  /**
   * Answers one request of the shape protocol.
   * @throws LoomError for what our own error body answers: rights, and parameters that a follower may not send.
   */
  answer(call: ShapeCall): Promise<ShapeAnswer>
  /** The org changed: followers that wait are looked after at once. */
  changed(org: string): void
  /**
   * Takes a scope out of every log, at Electric too, once its rows are gone: step delete.sync of an erasure. Safe to repeat.
   * @throws LoomError UNAVAILABLE when Electric does not delete what it holds.
   */
  erase(scope: ErasureScope): Promise<ErasedLogs>
  /** How many followers wait for news. */
  waiting(): number
  /** Ends every wait; what is asked for afterwards is answered without one. */
  close(): void
}

/** One follower while it waits. */
interface Follower {
  readonly followers: OrgFollowers
  readonly handle: string
  readonly signal: AbortSignal
  /** The handle of its token's shape now. @throws LoomError when the token is not good any more. */
  readonly current: () => Promise<KnownHandle>
}

/** Serves the shapes of a store: Electric's HTTP protocol over the change log. */
export function createShapes(options: ShapesOptions): Shapes {
  const {
    database,
    log,
    clock,
    longPollMs = 20_000,
    sseMs = 60_000,
    keepAliveMs = 21_000,
    chunkBytes = 4_194_304,
    pollMs = 250,
    onPass = () => {},
  } = options
  const shapes = options.shapes ?? new Map<string, ServedShape>(Object.entries(SERVED))
  const filterFor = options.filterFor ?? ((claims, { name }) => filterOf(claims, isShapeName(name) ? name : 'memory'))
  const orgs = new Map<string, OrgFollowers>()
  const closing = new AbortController()

  function followersOf(org: string): OrgFollowers {
    const there = orgs.get(org)
    if (there) return there
    const made = new OrgFollowers(org, { database, shapes, log, clock, chunkBytes, pollMs, onPass })
    orgs.set(org, made)
    return made
  }

  function shapeOf(request: ShapeRequest): ServedShape {
    const shape = shapes.get(request.table)
    if (shape) return shape
    throw new ShapeFault({ table: [`Table ${request.table.slice(0, 100)} does not exist. Shapes: ${[...shapes.keys()].join(', ')}.`] })
  }

  async function partAfter(followers: OrgFollowers, known: KnownHandle, from: Offset): Promise<Part> {
    const entries = await readAfter(database.reader, followers.org, known.handle, from, chunkBytes)
    return partOf(followers, known, from, entries)
  }

  function partOf(followers: OrgFollowers, { handle, last }: KnownHandle, from: Offset, entries: Part['entries']): Part {
    // Never the end of the log in place of what is in hand: news may have come since it was read.
    const end = entries.at(-1) ?? from
    const complete = from.tx !== -1n && compareOffsets(end, last) >= 0
    const lsn = followers.lsn > end.tx ? followers.lsn : end.tx
    return { handle, entries, end: { tx: end.tx, op: end.op }, complete, lsn }
  }

  async function answer(call: ShapeCall): Promise<ShapeAnswer> {
    try {
      const request = readShapeRequest(call.query)
      const shape = shapeOf(request)
      const filter = filterFor(call.claims, shape)
      const context = { request, shape, now: clock(), longPollMs }
      if (options.electric?.holds(shape)) {
        const { etags } = call
        const signal = AbortSignal.any([call.signal, closing.signal])
        const isSame = async (): Promise<boolean> => filterText(filterFor(await call.recheck(), shape)) === filterText(filter)
        return await options.electric.pass({ request, shape, filter, etags, signal, isSame })
      }
      return await answerFor(call, context, filter, followersOf(filter.org))
    } catch (error) {
      if (error instanceof ShapeFault) return faultAnswer(error)
      throw storeError(error) ?? error
    }
  }

  async function answerFor(call: ShapeCall, context: AnswerContext, filter: ShapeFilter, followers: OrgFollowers): Promise<ShapeAnswer> {
    const { request, shape } = context
    if (!request.live || followers.lsn === 0n) await followers.look()
    const known = await followers.handleOf(shape, filter)
    if (!request.initial && request.handle !== known.handle) return refetchAnswer(known.handle)
    await followers.noteReading(known)
    if (request.offset === 'now') {
      const part: Part = { ...partOf(followers, known, known.last, []), complete: true }
      return partAnswer(context, part, call.etags)
    }
    const follower: Follower = {
      followers,
      handle: known.handle,
      signal: AbortSignal.any([call.signal, closing.signal]),
      current: async () => followers.handleOf(shape, filterFor(await call.recheck(), shape)),
    }
    const { offset } = request
    if (isAhead(followers, known, offset)) {
      const now = await untilThere(follower, known, offset)
      if (now.handle !== known.handle) return refetchAnswer(now.handle)
      if (isAhead(followers, now, offset)) throw new ShapeFault({ offset: ['out of bounds for this shape'] })
    }
    if (request.sse) return eventAnswer(context, partOf(followers, known, offset, []), eventsOf(follower, known, offset))
    if (!request.live) return partAnswer(context, await partAfter(followers, known, offset), call.etags)

    const news = await nextEntries(follower, known, offset, longPollMs)
    const now = await follower.current()
    if (now.handle !== known.handle) return refetchAnswer(now.handle)
    return partAnswer({ ...context, now: clock() }, partOf(followers, now, offset, news), null)
  }

  /** Not there yet, and past what is known to be empty. */
  function isAhead(followers: OrgFollowers, known: KnownHandle, offset: Offset): boolean {
    return compareOffsets(offset, known.last) > 0 && offset.tx > 0n && offset.tx > followers.lsn
  }

  /** An offset that is not there yet: another process may have written it, so it gets half a poll. */
  async function untilThere({ followers, signal, current }: Follower, known: KnownHandle, offset: Offset): Promise<KnownHandle> {
    const until = performance.now() + longPollMs / 2
    for (let now = known; ; now = await current()) {
      const left = until - performance.now()
      if (left <= 0 || signal.aborted || now.handle !== known.handle || !isAhead(followers, now, offset)) return current()
      await followers.wait(now, now.last, left, signal)
    }
  }

  /** Waits for what comes after an offset; empty when nothing came in time, or the handle went. */
  async function nextEntries(
    { followers, handle, signal, current }: Follower,
    known: KnownHandle,
    offset: Offset,
    ms: number,
  ): Promise<Part['entries']> {
    const until = performance.now() + ms
    for (let now = known; now.handle === handle; now = await current()) {
      if (compareOffsets(offset, now.last) < 0) return readAfter(database.reader, followers.org, handle, offset, chunkBytes)
      const left = until - performance.now()
      if (left <= 0 || signal.aborted) return []
      const wake = await followers.wait(now, offset, left, signal)
      if (wake.kind === 'entries') return upToSize(wake.entries, chunkBytes)
      if (wake.kind === 'idle') return []
    }
    return []
  }

  async function* eventsOf(follower: Follower, known: KnownHandle, offset: Offset): AsyncGenerator<string> {
    const { followers, signal, current } = follower
    const until = performance.now() + sseMs
    let from = offset
    let now = known
    while (!signal.aborted && performance.now() < until) {
      const entries = await nextEntries(follower, now, from, Math.min(keepAliveMs, until - performance.now()))
      try {
        now = await current()
      } catch {
        // The token is not what it was: what the follower asks for next says why.
        return
      }
      if (now.handle !== follower.handle || signal.aborted) return
      if (entries.length === 0) {
        yield ': keep-alive\n\n'
        continue
      }
      const part = partOf(followers, now, from, entries)
      for (const entry of entries) yield eventOf(entry.body)
      if (part.complete) yield eventOf(upToDate(part.lsn))
      from = part.end
    }
  }

  return {
    answer,
    changed: (org) => orgs.get(org)?.changed(),
    async erase(scope) {
      const erased = await eraseShapeLogs(database, scope)
      await options.electric?.removeGone()
      orgs.get(scope.org)?.changed()
      return erased
    },
    waiting: () => [...orgs.values()].reduce((sum, followers) => sum + followers.waiting, 0),
    close() {
      closing.abort()
      for (const followers of orgs.values()) followers.release()
    },
  }
}
