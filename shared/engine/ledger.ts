import type { Logger } from 'pino'
import type { OpContract } from '../contract/declare.ts'
import { actorOf, type Caller } from './caller.ts'
import type { Clock } from './clock.ts'
import type { Database, Tx } from './db/database.ts'
import { boundOf, withinBound, type Identity } from './identity.ts'
import { isFencedSince, type Numbers } from './erasure/numbers.ts'
import { keysIn } from './ledger-keys.ts'
import { lockKeys } from './store/memories.ts'
import { appendEvents, keepLoose, type NewEvent } from './store/run-events.ts'
import { runOf } from './store/runs.ts'
import { endSessions, seeSession } from './store/sessions.ts'

type Fields = Readonly<Record<string, unknown>>

/** What is known of a call, as far as it came. */
interface Asked {
  readonly contract: OpContract
  readonly caller: Caller
  /** Null where the call failed before its identity was filled. */
  readonly identity: Identity | null
  readonly input: Fields
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The org's erasure number then. */
  readonly since: bigint
}

/** A call on its way through the pipeline. */
export interface Asking {
  understood(identity: Identity, input: Fields): void
  /** @param code of the error; empty for a success */
  ended(code: string, answer?: Fields): void
}

const UNNOTED: Asking = { understood: () => undefined, ended: () => undefined }

/** The ledger of requests: who asked for what, by names and keys and never a value. No answer waits for it. */
export interface Ledger {
  begin(contract: OpContract, caller: Caller): Asking
  /** How an agent of an org last came, since this start; null for one that did not. */
  lastTransport(org: string, agent: string): 'mcp' | 'http' | 'cli' | null
  /** An MCP session closed: the runs that it is in end as completed. */
  sessionClosed(session: string): Promise<void>
  flush(): Promise<void>
  close(): Promise<void>
}

interface Entry {
  readonly event: NewEvent
  readonly actor: string
  readonly runId: string
  readonly isSession: boolean
  /** What takes place in its run: not what only asks or tells of one. */
  readonly hasPlace: boolean
  readonly caller: Caller
  /** The org's erasure number when it was asked. */
  readonly since: bigint
}

const FLUSH_AFTER_MS = 1000
/** Agents whose transport is remembered; past it all are forgotten. */
const MOST_AGENTS = 10_000
/** More than these at once are written before their time. */
const MOST_WAITING = 1000

/** Parts of syncing, asked for by no agent; and a restore, whose ledger goes with the store that it replaces. */
const OF_DEVICES = new Set(['sync.push', 'erasure.receipt', 'backup.restore'])
/** Their run_id filters; it is not the run that the call belongs to. */
const FILTERS = new Set(['memory.list', 'audit.list'])

/** The desktop's own window leaves none, nor the same window in a browser, nor what this process asks as its person. */
function isNoted(contract: OpContract, { transport, claims, isWindow }: Caller): boolean {
  if (OF_DEVICES.has(contract.name) || contract.role === 'none' || isWindow === true || transport === 'ipc') return false
  return transport === 'inproc' ? claims.kind === 'process' : true
}

const isFenced = (tx: Tx, { event, since }: Entry): Promise<boolean> => isFencedSince(tx, event, since)

function entryOf(asked: Asked, code: string, answer: Fields, now: number): Entry | null {
  const { contract, caller, identity, input, startedAt } = asked
  const { claims } = caller
  const org = identity?.org || claims.org
  if (org === '' || org === '*') return null
  const named = typeof input['run_id'] === 'string' && !FILTERS.has(contract.name) ? input['run_id'] : ''
  const session = caller.mcpSession === undefined ? '' : `mcp:${caller.mcpSession}`
  const namespace = identity?.namespace ?? ''
  const event: NewEvent = {
    org,
    namespace,
    agent: identity?.agent || claims.agent || caller.fills.agent || '',
    user_id: identity?.user_id ?? '-',
    session_id: identity?.session_id ?? '-',
    at: new Date(startedAt),
    kind: 'op',
    name: contract.name,
    summary: '',
    files: [],
    memory_keys: keysIn(input, answer),
    ok: code === '',
    code,
    duration_ms: Math.max(0, now - startedAt),
  }
  const isRefused = code === 'FORBIDDEN' || code === 'UNAUTHENTICATED'
  const runId = namespace === '' || isRefused || named.length > 200 ? '' : named || session
  const isSession = named === '' && session !== '' && runId !== ''
  return {
    event,
    actor: actorOf(caller),
    since: asked.since,
    runId,
    isSession,
    hasPlace: !contract.name.startsWith('run.') || isSession,
    caller,
  }
}

function transportOf({ transport, isCommandLine }: Caller): 'mcp' | 'http' | 'cli' {
  if (transport === 'mcp') return 'mcp'
  return isCommandLine === true || transport === 'inproc' ? 'cli' : 'http'
}

export function createLedger(database: Database, clock: Clock, log: Logger, numbers: Pick<Numbers, 'enter' | 'known'>): Ledger {
  const transports = new Map<string, 'mcp' | 'http' | 'cli'>()
  let waiting: Entry[] = []
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()

  async function writeRuns(tx: Tx, entries: readonly Entry[]): Promise<void> {
    const groups = new Map<string, Entry[]>()
    for (const entry of entries) {
      const { event, runId } = entry
      const name = JSON.stringify([
        event.org,
        runId === '' ? '' : event.namespace,
        runId,
        entry.hasPlace && runId !== '',
        boundOf(entry.caller),
      ])
      groups.set(name, [...(groups.get(name) ?? []), entry])
    }
    // One order for all processes: two that write to the same runs never wait for each other in a circle.
    for (const [, group] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const [first] = group
      if (!first) continue
      const { runId, event, actor, caller, hasPlace } = first
      const number = await numbers.enter(tx, event.org)
      // What was asked before an erasure of its scope is among what that erases.
      const events: NewEvent[] = []
      for (const entry of group) if (number <= entry.since || !(await isFenced(tx, entry))) events.push(entry.event)
      if (events.length === 0) continue
      if (runId !== '' && hasPlace) {
        await lockKeys(tx, database.kind, [`run:${event.org}/${event.namespace}/${runId}`])
        if (first.isSession) await seeSession(tx, event, runId, actor)
        const run = await runOf(tx, event, runId)
        // Whoever may not see a run adds nothing to it.
        const isOthers = run !== null && !withinBound(caller, run)
        if (run === null || isOthers) await keepLoose(tx, events, isOthers ? '' : runId)
        else await appendEvents(tx, event, runId, events)
      } else await keepLoose(tx, events, runId)
    }
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    const batch = waiting
    waiting = []
    if (batch.length > 0)
      running = running
        .then(() => database.transaction((tx) => writeRuns(tx, batch)))
        .catch((err: unknown) => log.warn({ err, requests: batch.length }, 'requests were not written to the ledger'))
    return running
  }

  return {
    begin(contract, caller) {
      if (!isNoted(contract, caller)) return UNNOTED
      let asked: Asked = { contract, caller, identity: null, input: {}, startedAt: clock(), since: numbers.known(caller.claims.org) }
      return {
        understood: (identity, input) =>
          void (asked = { ...asked, identity, input, since: numbers.known(identity.org || caller.claims.org) }),
        ended(code, answer = {}) {
          const entry = entryOf(asked, code, answer, clock())
          if (!entry) return
          if (transports.size >= MOST_AGENTS) transports.clear()
          transports.set(JSON.stringify([entry.event.org, entry.event.agent]), transportOf(caller))
          waiting.push(entry)
          if (waiting.length >= MOST_WAITING) void flush()
          else timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref()
        },
      }
    },
    lastTransport: (org, agent) => transports.get(JSON.stringify([org, agent])) ?? null,
    async sessionClosed(session) {
      await flush()
      await database.transaction((tx) => endSessions(tx, `mcp:${session}`, new Date(clock())))
    },
    flush,
    close: flush,
  }
}
