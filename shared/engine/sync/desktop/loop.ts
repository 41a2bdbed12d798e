import { LoomError, isLoomError } from '../../../contract/errors.ts'
import type { EngineParts } from '../../parts.ts'
import { SHAPES, type ShapeName } from '../../shapes/definitions.ts'
import { noteSyncTime } from './commit.ts'
import { storeConnection } from './connection.ts'
import { followShape } from './follower.ts'
import { repeatFences } from './fences.ts'
import { dropOldItems } from './inbox.ts'
import { greet } from './pairing.ts'
import { patienceOf, type Patience } from './patience.ts'
import { pause } from './pause.ts'
import type { Connection, SyncOptions, SyncState } from './port.ts'
import { pushOnce } from './pusher.ts'
import { sendReceipts } from './receipts.ts'
import { serverLink } from './server-link.ts'
import { watchWakes } from './wakes.ts'

/** Waits after a failure, in seconds; the last holds from then on. Jittered, so that a team does not come back at once. */
const BACK_OFF_S = [1, 2, 5, 15, 60, 300]
const JITTER = 0.25
/** What is queued shortly after something else goes with it. */
const GATHER_MS = 200
const PULL_EVERY_MS = 60_000
const PAUSE_LOOK_MS = 1000
/** What an erasure left here is tried again after this. */
const REPEAT_AFTER_MS = 3_600_000

const LIVE: readonly ShapeName[] = ['erasures', 'memory']
const OTHERS = (Object.keys(SHAPES) as ShapeName[]).filter((name) => !LIVE.includes(name))

export interface LoopOptions {
  readonly partsOf: () => EngineParts
  readonly options: SyncOptions
  readonly connection: () => Connection | null
  readonly update: (next: Connection) => void
  /** Deletes the org's rows, queue and inbox, and disconnects. */
  readonly wipe: () => Promise<void>
}

export interface SyncLoop {
  readonly state: SyncState
  start(): void
  /** @param patienceMs how long no change may be taken while some wait */
  once(patienceMs?: number): Promise<void>
  kick(): void
  stop(): Promise<void>
}

const OFF: SyncState = { name: 'off', error: null, retryAt: null }

/** Connects, pushes and follows, and starts over after a failure, until it is stopped. */
export function createLoop({ partsOf, options, connection, update, wipe }: LoopOptions): SyncLoop {
  let state: SyncState = OFF
  let stopping: AbortController | null = null
  let running: Promise<void> | null = null
  let wake: (() => void) | null = null
  let pending = false
  /** A fence was applied that the server has no receipt of: it waits for that, and people look on. */
  let unproved = false
  const rounds = new Set<AbortController>()

  const set = (name: SyncState['name'], more: Partial<SyncState> = {}): void => {
    state = { error: null, retryAt: null, ...more, name }
  }
  const connected = (): Connection => {
    const now = connection()
    if (now === null) throw new LoomError('UNAVAILABLE', 'This desktop is not connected to a team server.')
    return now
  }
  const isEnabled = (): boolean => options.enabled?.() ?? true

  const follow = (name: ShapeName, live: boolean, signal: AbortSignal): Promise<void> =>
    followShape(name, {
      parts: partsOf(),
      connection: connected(),
      fetch: options.fetch,
      signal,
      live,
      onFence: (seq) => {
        if (seq <= connected().erasureSeq) return
        update({ ...connected(), erasureSeq: seq })
        unproved = true
      },
    })

  async function pullOthers(signal: AbortSignal): Promise<void> {
    for (const name of OTHERS) {
      if (signal.aborted) return
      try {
        await follow(name, false, signal)
      } catch (error) {
        // A token that only reads gets no patterns.
        if (!isLoomError(error) || error.code !== 'FORBIDDEN') throw error
      }
    }
    if (connection() !== null) await noteSyncTime(partsOf(), connected().org, 'last_pull_at')
  }

  async function hello(signal: AbortSignal): Promise<void> {
    set('connecting')
    const parts = partsOf()
    const next = await greet(parts, options, connected())
    await parts.database.transaction(async (tx) => {
      await storeConnection(tx, next, new Date(parts.clock()))
      await dropOldItems(tx, next.org, new Date(parts.clock()))
    })
    update(next)
    set('erasing')
    await follow('erasures', false, signal)
    await repeatFences(parts, next.org, REPEAT_AFTER_MS, signal)
    await proveErasures()
  }

  /** Tells the server which fences are applied here. */
  async function proveErasures(): Promise<void> {
    unproved = false
    const { serverUrl, token } = connected()
    await sendReceipts(partsOf(), connected(), serverLink({ serverUrl, token, fetch: options.fetch }), options.secrets)
  }

  /** Pushes until nothing waits. Answers whether the server holds something new. */
  async function pushAll(signal: AbortSignal, patience = patienceOf(Number.POSITIVE_INFINITY)): Promise<boolean> {
    let changed = false
    while (!signal.aborted) {
      const { serverUrl, token } = connected()
      const pushed = await pushOnce(partsOf(), connected(), serverLink({ serverUrl, token, fetch: options.fetch }), signal)
      changed ||= pushed.changed
      if (pushed.taken > 0) patience.renew()
      if (!pushed.done && patience.isOver(pushed.waitMs)) throw await patience.ended(partsOf().database.reader, connected().org, pushed.why)
      if (pushed.erasuresFirst) {
        await follow('erasures', false, signal)
        await proveErasures()
      } else if (pushed.done) break
      if (pushed.waitMs > 0) await pause(pushed.waitMs, signal)
    }
    return changed
  }

  async function round(signal: AbortSignal, patience?: Patience): Promise<void> {
    await hello(signal)
    set('syncing')
    await pushAll(signal, patience)
    await follow('memory', false, signal)
    await pullOthers(signal)
    set('idle')
  }

  async function pushing(signal: AbortSignal): Promise<void> {
    let pulledAt = Date.now()
    while (!signal.aborted && isEnabled()) {
      if (!pending) await waitForWork(Math.max(0, Math.min(PAUSE_LOOK_MS, pulledAt + PULL_EVERY_MS - Date.now())), signal)
      const isDue = unproved || Date.now() - pulledAt >= PULL_EVERY_MS
      if (!pending && !isDue) continue
      if (pending) await pause(GATHER_MS, signal)
      const work = pending
      pending = false
      set('syncing')
      const changed = work && (await pushAll(signal))
      if (changed || isDue) {
        await repeatFences(partsOf(), connected().org, REPEAT_AFTER_MS, signal)
        await proveErasures()
        await pullOthers(signal)
        pulledAt = Date.now()
      }
      set('idle')
    }
  }

  function waitForWork(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => void (wake = resolve))
    return Promise.race([woken, pause(ms, signal)])
  }

  /** Ends with the first of them that fails, or that has nothing more to do. */
  async function live(signal: AbortSignal): Promise<void> {
    const ended = new AbortController()
    const stop = AbortSignal.any([signal, ended.signal])
    const work = [...LIVE.map((name) => follow(name, true, stop)), pushing(stop)]
    try {
      await Promise.race(work)
    } finally {
      ended.abort()
      await Promise.allSettled(work)
    }
  }

  /** Answers the seconds to wait before the next try; null: there is none. */
  async function afterFailure(error: unknown, failures: number): Promise<number | null> {
    const known = isLoomError(error) ? error : new LoomError('INTERNAL', error instanceof Error ? error.message : String(error))
    const told = { code: known.code, message: known.message }
    if (known.code === 'UNAUTHENTICATED') {
      if (known.fields['device_revoked'] === true) {
        if (known.fields['wipe'] === true) await wipe()
        else update({ ...connected(), revoked: true })
        set(connection() === null ? 'off' : 'revoked', { error: told })
        return null
      }
      set('error', { error: told })
    } else if (known.code === 'UNAVAILABLE' || known.code === 'RATE_LIMITED' || known.code === 'IN_PROGRESS')
      set('offline', { error: told })
    else {
      partsOf().log.error({ err: error }, 'syncing failed and is tried again')
      set('error', { error: told })
    }
    const asked = known.fields['retry_after_s']
    const step = BACK_OFF_S[Math.min(failures, BACK_OFF_S.length - 1)] ?? 300
    const jittered = step * (1 - JITTER + Math.random() * 2 * JITTER)
    return typeof asked === 'number' ? Math.max(asked, jittered) : jittered
  }

  async function run(ending: AbortSignal): Promise<void> {
    let failures = 0
    let awake = new AbortController()
    const stopWatching = watchWakes(() => {
      partsOf().log.info('syncing starts over: this machine slept, or is on another network')
      options.forgetLines?.()
      failures = 0
      awake.abort()
    })
    while (!ending.aborted && connection() !== null) {
      awake = new AbortController()
      const signal = AbortSignal.any([ending, awake.signal])
      if (!isEnabled()) {
        set('paused')
        await pause(PAUSE_LOOK_MS, signal)
        continue
      }
      try {
        pending = false
        await round(signal)
        failures = 0
        await live(signal)
      } catch (error) {
        if (signal.aborted) continue
        const wait = await afterFailure(error, failures++)
        if (wait === null) break
        set(state.name, { error: state.error, retryAt: new Date(Date.now() + wait * 1000) })
        // A write does not hurry a server that is away: it waits out the pause with the others.
        await pause(wait * 1000, signal)
      }
    }
    stopWatching()
  }

  async function once(patienceMs = Number.POSITIVE_INFINITY): Promise<void> {
    const patience = patienceOf(patienceMs)
    if (running !== null) {
      pending = true
      wake?.()
      while (state.name === 'connecting' || state.name === 'erasing' || state.name === 'syncing' || pending) {
        if (patience.isOver()) throw await patience.ended(partsOf().database.reader, connected().org, '')
        await pause(50, new AbortController().signal)
      }
      if (state.error) throw new LoomError('UNAVAILABLE', state.error.message)
      return
    }
    if (!isEnabled()) throw new LoomError('UNAVAILABLE', 'Syncing is paused by the setting sync.enabled.')
    const ended = new AbortController()
    rounds.add(ended)
    try {
      await round(ended.signal, patience)
    } catch (error) {
      await afterFailure(error, 0)
      throw error
    } finally {
      rounds.delete(ended)
    }
  }

  return {
    get state(): SyncState {
      const now = connection()
      if (now === null) return OFF
      if (now.revoked) return { ...state, name: 'revoked' }
      if (!isEnabled()) return { ...state, name: 'paused' }
      return state.name === 'off' ? { ...state, name: 'offline' } : state
    },
    start() {
      if (running !== null || connection()?.revoked === true) return
      stopping = new AbortController()
      running = run(stopping.signal).finally(() => (running = null))
    },
    once,
    kick() {
      pending = true
      wake?.()
    },
    async stop() {
      stopping?.abort()
      for (const round of rounds) round.abort()
      await running
      set('off')
    },
  }
}
