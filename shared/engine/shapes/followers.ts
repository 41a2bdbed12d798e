import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { placeOf, type LogPlace } from './change-log.ts'
import { fanOut, type LogEntry } from './fan-out.ts'
import { filterText, sha256, type ShapeFilter } from './filters.ts'
import { createHandle, endHandles, lockShapes } from './handles.ts'
import { columnsHash, compareOffsets, placeAfter, type Offset } from './protocol.ts'
import { lastOf } from './read-log.ts'
import { orgsOf, type ServedShape } from './served.ts'

/** A handle as this process knows it. */
export interface KnownHandle {
  readonly handle: string
  /** End of its log. */
  last: Offset
  /** When its reading was last noted, in milliseconds. */
  noted: number
  /** What is known of it does not hold any more, and is not kept up to date. */
  stale: boolean
}

/** A stored handle, and when its reading was last noted. */
interface ReadHandle {
  readonly handle: string
  readonly read_at: Date
}

/** Why a wait ended: there is something new in hand, something to look at, or nothing. */
export type Wake =
  | { readonly kind: 'entries'; readonly entries: readonly LogEntry[] }
  | { readonly kind: 'look' }
  | { readonly kind: 'idle' }

interface Waiter {
  readonly handle: string
  readonly wake: (wake: Wake) => void
}

export interface FollowersOptions {
  readonly database: Database
  readonly shapes: ReadonlyMap<string, ServedShape>
  readonly log: Pick<Logger, 'error'>
  readonly clock: () => number
  readonly chunkBytes: number
  /** How often an org with waiting followers is looked at when nobody says that it changed. */
  readonly pollMs: number
  /** Told of the last transaction of every pass. */
  readonly onPass: (xid: bigint) => void
}

/** Passes of one org are this far apart at least, so that a burst of writes costs few of them. */
const GAP_MS = 40
/** A store that is away is asked again after this. */
const RETRY_MS = 2000
const NOTE_EVERY_MS = 3_600_000

/** One org's followers in this process: what its logs hold, and who waits for more. */
export class OrgFollowers {
  readonly org: string
  readonly #options: FollowersOptions
  readonly #known = new Map<string, KnownHandle>()
  readonly #waiters = new Set<Waiter>()
  #place: LogPlace | null = null
  /** Grows with everything that may move the end of a log. */
  #moves = 0
  #looking: Promise<LogPlace> | null = null
  #queued: Promise<LogPlace> | null = null
  #timer: NodeJS.Timeout | null = null
  #lastPass = 0

  constructor(org: string, options: FollowersOptions) {
    this.org = org
    this.#options = options
  }

  /** The place after the last transaction that every log of the org has; 0 before the first look. */
  get lsn(): bigint {
    return this.#place ? placeAfter(this.#place.horizon - 1n) : 0n
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiters.size
  }

  /** Brings the logs up to what was committed before this call. */
  look(): Promise<LogPlace> {
    if (!this.#looking) return this.#start()
    this.#queued ??= this.#looking.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#queued
  }

  #start(): Promise<LogPlace> {
    this.#queued = null
    const looking = this.#look().finally(() => {
      if (this.#looking === looking) this.#looking = null
    })
    this.#looking = looking
    return looking
  }

  async #look(): Promise<LogPlace> {
    const { database, shapes } = this.#options
    const before = this.#place
    const seen = await placeOf(database.reader, this.org, orgsOf(this.org))
    if (before && (seen.position !== before.position || seen.epoch !== before.epoch)) this.#forget()
    if (!seen.waiting) {
      this.#place = seen
      return seen
    }
    // The place stays what it was until the logs are there: what is told as seen must be in them.
    const pass = await fanOut(database, shapes, this.org)
    this.#lastPass = performance.now()
    // Another process was here first.
    if (!pass || pass.from !== seen.position || pass.place.epoch !== seen.epoch) this.#forget()
    if (!pass) return this.#look()
    this.#place = pass.place
    this.#moves++
    this.#options.onPass(pass.place.position - 1n)
    for (const [handle, entries] of pass.written) this.#deliver(handle, entries)
    return pass.place
  }

  #deliver(handle: string, entries: readonly LogEntry[]): void {
    const last = entries.at(-1)
    if (!last) return
    for (const known of this.#known.values()) if (known.handle === handle) known.last = { tx: last.tx, op: last.op }
    for (const waiter of this.#waiters) if (waiter.handle === handle) this.#wake(waiter, { kind: 'entries', entries })
  }

  /** What others did: nothing that is known here holds. */
  #forget(): void {
    this.#moves++
    for (const known of this.#known.values()) known.stale = true
    this.#known.clear()
    for (const waiter of this.#waiters) this.#wake(waiter, { kind: 'look' })
  }

  #wake(waiter: Waiter, wake: Wake): void {
    this.#waiters.delete(waiter)
    waiter.wake(wake)
  }

  /** The handle of a shape and filter; made, with its snapshot, when there is none or its columns changed. */
  async handleOf(shape: ServedShape, filter: ShapeFilter): Promise<KnownHandle> {
    const name = `${shape.name} ${filterText(filter)}`
    for (;;) {
      const known = this.#known.get(name)
      if (known) return known
      const { database } = this.#options
      const moves = this.#moves
      const { handle, read_at } = (await this.#findHandle(shape, filter)) ?? (await this.#makeHandle(shape, filter))
      const last = await lastOf(database.reader, this.org, handle)
      if (moves !== this.#moves) continue
      if (last) this.#known.set(name, { handle, last, noted: read_at.getTime(), stale: false })
    }
  }

  async #findHandle(shape: ServedShape, filter: ShapeFilter, db = this.#options.database.reader): Promise<ReadHandle | null> {
    const { rows } = await sql<ReadHandle>`SELECT handle, read_at FROM loom.shape_handle WHERE org = ${this.org} AND shape = ${shape.name}
      AND filter_sha256 = ${sha256(filterText(filter))} AND columns_sha256 = ${columnsHash(shape)} AND served_by = 'loom' AND gone_at IS NULL`.execute(
      db,
    )
    return rows[0] ?? null
  }

  #makeHandle(shape: ServedShape, filter: ShapeFilter): Promise<ReadHandle> {
    const { database, clock, chunkBytes } = this.#options
    return database.transaction(async (tx) => {
      await lockShapes(tx, database.kind, this.org)
      const there = await this.#findHandle(shape, filter, tx)
      if (there) return there
      const now = new Date(clock())
      const { rows } = await sql<{ handle: string }>`SELECT handle FROM loom.shape_handle WHERE org = ${this.org} AND shape = ${shape.name}
        AND filter_sha256 = ${sha256(filterText(filter))} AND gone_at IS NULL`.execute(tx)
      // Its columns are not what they were, or Electric held it.
      await endHandles(
        tx,
        this.org,
        rows.map((row) => row.handle),
        now,
      )
      const { handle } = await createHandle(tx, { shape, filter, servedBy: 'loom', now, chunkBytes })
      return { handle, read_at: now }
    })
  }

  /** Notes, now and then, that somebody reads the handle. */
  async noteReading(known: KnownHandle): Promise<void> {
    const { database, clock } = this.#options
    const now = clock()
    if (now - known.noted < NOTE_EVERY_MS) return
    known.noted = now
    await sql`UPDATE loom.shape_handle SET read_at = ${new Date(now)} WHERE org = ${this.org} AND handle = ${known.handle}`.execute(
      database.reader,
    )
  }

  /**
   * Waits for news of a handle. `from` is what the follower has: it is asked for where the end was known to be there.
   * @param ms after which it ends idle; so it does when `signal` says that the follower is gone.
   */
  wait(known: KnownHandle, from: Offset, ms: number, signal: AbortSignal): Promise<Wake> {
    if (signal.aborted) return Promise.resolve({ kind: 'idle' })
    // Something came between the caller's look at the end and here: what the next pass brings is not what comes next.
    if (known.stale || compareOffsets(from, known.last) < 0) return Promise.resolve({ kind: 'look' })
    return new Promise((resolve) => {
      const idle = (): void => this.#wake(waiter, { kind: 'idle' })
      const timer = setTimeout(idle, ms)
      const waiter: Waiter = {
        handle: known.handle,
        wake: (wake) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', idle)
          resolve(wake)
        },
      }
      signal.addEventListener('abort', idle)
      this.#waiters.add(waiter)
      this.#schedule(this.#options.pollMs)
    })
  }

  /** Somebody says that the org changed. */
  changed(): void {
    if (this.#waiters.size === 0) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#schedule(Math.max(0, this.#lastPass + GAP_MS - performance.now()))
  }

  /** Ends every wait. */
  release(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    for (const waiter of this.#waiters) this.#wake(waiter, { kind: 'idle' })
  }

  #schedule(ms: number): void {
    if (this.#timer || this.#waiters.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.look().then(
        () => this.#schedule(this.#options.pollMs),
        (error: unknown) => {
          this.#options.log.error({ err: error, org: this.org }, 'the logs of shapes could not be brought up to date')
          this.#schedule(RETRY_MS)
        },
      )
    }, ms).unref()
  }
}
