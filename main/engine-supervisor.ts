import type { UtilityProcess } from 'electron'
import { errorBody, LoomError, type ErrorDetail } from '../shared/contract/errors.ts'
import type { EngineEvent } from '../shared/contract/events.ts'
import type { RecoveryView } from '../shared/contract/recovery.ts'
import type { CallTold } from '../shared/contract/window-calls.ts'
import type { LinkEvent } from '../shared/client/link.ts'
import type { IpcReply } from '../shared/transport/ipc.ts'
import { findRunning, type Running } from './endpoint.ts'
import type { KeyStore } from '../shared/engine/sync/desktop/secrets.ts'
import type { FromEngine, ToEngine, WindowCall } from './engine-messages.ts'
import { followHost } from './remote-engine.ts'

/** Keeps an engine behind the window: its own process, or a host that already runs on the data folder. */
export interface EngineSupervisor {
  /** Answers one call; never rejects. Waits a while for an engine that is starting. */
  call(call: WindowCall): Promise<IpcReply>
  /** Set while the database cannot be opened: then nothing is started until `restart`. */
  readonly recovery: RecoveryView | null
  /** Starts the engine again that could not open its database. Resolves when it answers, or has failed again. */
  restart(): Promise<void>
  /** Ends the engine process cleanly; a running host of others is left alone. */
  close(): Promise<void>
}

export interface SupervisorOptions {
  readonly home: string
  /** Bearer token for a host of another process in multi mode. */
  readonly token: string | null
  /** Nobody has the data folder, as was looked up already: the engine process is started before this returns. */
  readonly isFree?: boolean
  /** Starts the engine process. */
  readonly fork: () => UtilityProcess
  readonly onEvent: (event: LinkEvent | CallTold) => void
  /** The system's key store, for an engine of our own. */
  readonly keyStore: KeyStore
  /** An engine answers: at this address, of our own process or of another. */
  readonly onReady: (url: string, own: boolean, firstToken: string | null) => void
  /** The database cannot be opened, and the person has to decide. */
  readonly onStuck: () => void
  /** The engine ended although nobody asked it to, or could not start. */
  readonly onDown: (reason: string) => void
  readonly restartDelaysMs?: readonly number[]
}

const RESTART_DELAYS_MS = [100, 500, 1000, 2000, 5000, 10_000, 30_000]
/** An engine that lived this long was healthy: its end does not count with the ones before. */
const HEALTHY_MS = 60_000
/** How long a call waits for an engine that starts. */
const CALL_WAIT_MS = 10_000
/** How long a clean end may take. */
const CLOSE_MS = 4000

type Link = { readonly call: (call: WindowCall) => Promise<IpcReply>; readonly close: () => Promise<void> }

/** Who has a data folder; one that cannot be looked at is tried. */
export const whoRuns = (home: string): Promise<Running> => findRunning(home, 0).catch(() => ({ state: 'none' }))

/** Starts at once and starts again, with growing pauses, whenever the engine goes. */
export function superviseEngine(options: SupervisorOptions): EngineSupervisor {
  const delays = options.restartDelaysMs ?? RESTART_DELAYS_MS
  const waiting = new Set<() => void>()
  let link: Link | null = null
  let starting: Link | null = null
  let failures = 0
  let lastFailure: ErrorDetail | null = null
  let recovery: RecoveryView | null = null
  let closing = false
  let timer: NodeJS.Timeout | undefined

  const up = (next: Link, url: string, own: boolean, firstToken: string | null = null) => {
    link = next
    lastFailure = null
    recovery = null
    options.onReady(url, own, firstToken)
    for (const go of waiting) go()
    waiting.clear()
  }
  const down = (reason: string, lived: number) => {
    link = null
    starting = null
    if (closing) return
    if (lived > HEALTHY_MS) failures = 0
    options.onDown(reason)
    if (recovery !== null) {
      for (const go of waiting) go()
      waiting.clear()
      options.onStuck()
      return
    }
    const delay = delays[Math.min(failures++, delays.length - 1)] ?? 0
    timer = setTimeout(() => void start(), delay)
  }
  const start = async () => follow(await whoRuns(options.home))
  const follow = (running: Running) => {
    if (closing) return
    const since = performance.now()
    const onDown = (reason: string) => down(reason, performance.now() - since)
    if (running.state === 'running') {
      const remote = followHost(running.endpoint.url, options.token, options.onEvent, () => onDown('the running Loom has gone'))
      up({ call: remote.call, close: async () => remote.close() }, running.endpoint.url, false)
      return
    }
    starting = ownEngine(options.fork(), {
      keyStore: options.keyStore,
      onEvent: options.onEvent,
      onReady: (self, url, firstToken) => up(self, url, true, firstToken),
      onFailed: (error, view) => {
        lastFailure = error
        recovery = view
      },
      onEnd: (code) => onDown(`the engine process ended with ${code}`),
    })
  }

  if (options.isFree) follow({ state: 'none' })
  else void start()
  return {
    async call(call) {
      if (!link && !closing && recovery === null) await waitFor(waiting)
      if (link) return await link.call(call)
      return { ok: false, error: lastFailure ?? unavailable('Loom is starting. Try again in a second.') }
    },
    get recovery() {
      return recovery
    },
    async restart() {
      if (link || closing || recovery === null) return
      recovery = null
      void start()
      await waitFor(waiting)
    },
    async close() {
      closing = true
      clearTimeout(timer)
      await (link ?? starting)?.close()
    },
  }
}

function waitFor(waiting: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(limit)
      waiting.delete(done)
      resolve()
    }
    const limit = setTimeout(done, CALL_WAIT_MS)
    waiting.add(done)
  })
}

interface OwnEngineEvents {
  readonly keyStore: KeyStore
  readonly onEvent: (event: EngineEvent | CallTold) => void
  readonly onReady: (self: Link, url: string, firstToken: string | null) => void
  readonly onFailed: (error: ErrorDetail, recovery: RecoveryView | null) => void
  readonly onEnd: (code: number) => void
}

/** An engine in a process of our own; calls that it still owes when it ends are answered UNAVAILABLE. */
function ownEngine(child: UtilityProcess, events: OwnEngineEvents): Link {
  const owed = new Map<number, (reply: IpcReply) => void>()
  const send = (message: ToEngine) => child.postMessage(message)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let last = 0
  const self: Link = {
    call: (call) =>
      new Promise((resolve) => {
        owed.set(++last, resolve)
        send({ type: 'call', id: last, call })
      }),
    async close() {
      send({ type: 'close' })
      const limit = setTimeout(() => child.kill(), CLOSE_MS)
      await ended
      clearTimeout(limit)
    },
  }
  child.on('message', (message: FromEngine) => {
    if (message.type === 'ready') events.onReady(self, message.url, message.firstToken)
    else if (message.type === 'failed') events.onFailed(message.error, message.recovery)
    else if (message.type === 'event') events.onEvent(message.event)
    else if (message.type === 'key') {
      const { id, ask, text } = message
      void events.keyStore[ask](text).then(
        (answer) => send({ type: 'key', id, text: answer }),
        () => send({ type: 'key', id, text: null }),
      )
    } else {
      owed.get(message.id)?.(message.reply)
      owed.delete(message.id)
    }
  })
  child.once('exit', (code) => {
    for (const answer of owed.values())
      answer({ ok: false, error: unavailable('The engine stopped while it worked on this and is started again. Try again in a moment.') })
    owed.clear()
    events.onEnd(code)
  })
  return self
}

function unavailable(message: string): ErrorDetail {
  return errorBody(new LoomError('UNAVAILABLE', message, { retry_after_s: 1 }), '').detail
}
