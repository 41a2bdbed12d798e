import type { CallInputOf, OutputOf } from '../contract/registry.ts'
import { ID5_FIELDS } from '../contract/common.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { ERROR_CLASSES, type ClientError } from './errors.ts'

type SetInput = CallInputOf<'memory.set'>
type SetAnswer = OutputOf<'memory.set'>
type BulkAnswer = OutputOf<'memory.bulk_set'>

/** What a set answers that went with others: all but the hash, which a bulk write's caller need not be told. */
export type CoalescedSet = Omit<SetAnswer, 'content_sha256'> & { readonly coalesced: true }

/** The calls that a coalescer makes, each with retries and an idempotency key of its own. */
export interface Calls {
  set(input: SetInput): Promise<SetAnswer>
  bulk(input: CallInputOf<'memory.bulk_set'>): Promise<BulkAnswer>
  byId(input: CallInputOf<'memory.get_by_id'>): Promise<OutputOf<'memory.get_by_id'>>
}

/** Sets of one identity within this time are a burst from the third on. Milliseconds. */
const WINDOW_MS = 200
const BURST = 3
/** A gathered burst goes when nothing has joined it for this long, and at the latest after the window. */
const QUIET_MS = 20
const MOST_ENTRIES = 1000

interface Waiting {
  readonly input: SetInput
  resolve(answer: SetAnswer | CoalescedSet): void
  reject(error: unknown): void
}

interface Burst {
  readonly recent: number[]
  gathered: Waiting[]
  since: number
  timer: ReturnType<typeof setTimeout> | null
  /** Settles when everything sent so far has been answered: later calls of the identity come after earlier ones. */
  sent: Promise<unknown>
  /** Namespace that answers named, where calls leave it to the token. */
  namespace: string
}

const identityOf = (input: SetInput): string => JSON.stringify(ID5_FIELDS.map((field) => input[field] ?? null))
const GOES_ALONE = (input: SetInput): boolean => Boolean(input.if_match_sha256) || input.dry_run === true || input.proposed === true

/** Fields beside the identity that a set names, whatever they say. */
const PLAIN: ReadonlySet<string> = new Set([...ID5_FIELDS, 'memory_key', 'value'])
const namesMore = (input: SetInput): boolean => Object.entries(input).some(([name, value]) => value !== undefined && !PLAIN.has(name))

function entryOf(input: SetInput): CallInputOf<'memory.bulk_set'>['entries'][number] {
  const {
    org: _org,
    namespace: _namespace,
    agent: _agent,
    user_id: _user,
    session_id: _session,
    if_match_sha256: _hash,
    dry_run: _dry,
    ...entry
  } = input
  return entry
}

/**
 * Gathers bursts: from the third memory.set of one identity within 200 ms, sets go together in one memory.bulk_set, and
 * each gets the answer, or raises the error, that its own set would have (PRE007-PRE009).
 */
export function createCoalescer(calls: Calls): (input: SetInput) => Promise<SetAnswer | CoalescedSet> {
  const bursts = new Map<string, Burst>()

  const burstOf = (identity: string): Burst => {
    const known = bursts.get(identity)
    if (known) return known
    const idle = performance.now() - WINDOW_MS
    for (const [name, old] of bursts) if (old.gathered.length === 0 && (old.recent.at(-1) ?? 0) < idle) bursts.delete(name)
    const made: Burst = { recent: [], gathered: [], since: 0, timer: null, sent: Promise.resolve(), namespace: '' }
    bursts.set(identity, made)
    return made
  }

  /** Sends one set by itself, after what was sent before it when that matters. */
  function alone(input: SetInput, burst: Burst, after: Promise<unknown>): Promise<SetAnswer> {
    const answer = after.then(() => calls.set(input))
    const noted = answer.then(
      (set) => void (burst.namespace = set.namespace),
      () => {},
    )
    burst.sent = Promise.all([burst.sent, noted])
    return answer
  }

  function flush(burst: Burst): void {
    if (burst.timer !== null) clearTimeout(burst.timer)
    burst.timer = null
    const gathered = burst.gathered
    burst.gathered = []
    if (gathered.length === 0) return
    burst.sent = burst.sent.then(() => send(gathered, burst))
  }

  /** A burst's answer, entry by entry. Never rejects: each set that waits is told by itself. */
  async function send(gathered: readonly Waiting[], burst: Burst): Promise<void> {
    const [first] = gathered
    if (!first) return
    const { org, namespace, agent, user_id, session_id } = first.input
    const identity = Object.fromEntries(
      Object.entries({ org, namespace, agent, user_id, session_id }).filter(([, value]) => value !== undefined),
    )
    try {
      const answer = await calls.bulk({ ...identity, entries: gathered.map((one) => entryOf(one.input)) })
      await Promise.all(gathered.map((one, index) => tell(one, index, answer, namespace ?? burst.namespace)))
    } catch (error) {
      // A refusal of the whole call is one entry's fault, and wrote nothing: each set hears its own.
      if (isRefusal(error)) for (const one of gathered) await calls.set(one.input).then(one.resolve, one.reject)
      else for (const one of gathered) one.reject(error)
    }
  }

  async function tell(one: Waiting, index: number, bulk: BulkAnswer, namespace: string): Promise<void> {
    try {
      one.resolve((await answerOf(index, bulk, namespace)) ?? (await whatIsStored(one.input, index, bulk, namespace)))
    } catch (error) {
      one.reject(error)
    }
  }

  /** Answers for an entry that wrote nothing: sent again alone where only a set of its own can tell. */
  async function whatIsStored(input: SetInput, index: number, bulk: BulkAnswer, namespace: string): Promise<SetAnswer | CoalescedSet> {
    const merged = bulk.merged.find((row) => row.index === index)
    const unchanged = bulk.unchanged.find((row) => row.index === index)
    const row = merged ?? unchanged
    if (!row || (unchanged && namesMore(input))) return calls.set(input)
    const read = await calls.byId({ ...(input.org === undefined ? {} : { org: input.org }), memory_id: row.memory_id })
    if (!read.found) return calls.set(input)
    return {
      ...NOTHING_WRITTEN,
      memory_id: row.memory_id,
      version: read.version ?? 0n,
      status: read.status ?? 'active',
      namespace,
      memory_key: input.memory_key,
      conflict_verdict: merged ? 'merge' : (read.conflict_verdict ?? ''),
      next: merged ? `memory.get(memory_key='${merged.merged_into_key}')` : '',
      noop: true,
      merged_into_key: merged?.merged_into_key ?? '',
      duplicate_of: read.duplicate_of ?? '',
      pinned: read.pinned ?? false,
      degraded: [...bulk.degraded],
    }
  }

  return (input) => {
    const burst = burstOf(identityOf(input))
    const now = performance.now()
    burst.recent.push(now)
    while (burst.recent.length > 0 && now - (burst.recent[0] ?? 0) > WINDOW_MS) burst.recent.shift()
    if (GOES_ALONE(input)) {
      flush(burst)
      return alone(input, burst, burst.sent)
    }
    if (burst.recent.length < BURST && burst.gathered.length === 0) return alone(input, burst, Promise.resolve())
    return new Promise((resolve, reject) => {
      if (burst.gathered.length === 0) burst.since = now
      burst.gathered.push({ input, resolve, reject })
      if (burst.timer !== null) clearTimeout(burst.timer)
      if (burst.gathered.length === MOST_ENTRIES) flush(burst)
      else burst.timer = setTimeout(() => flush(burst), Math.max(0, Math.min(QUIET_MS, burst.since + WINDOW_MS - now)))
    })
  }
}

const NOTHING_WRITTEN = { peers: [], retyped_from: '', chunks_written: 0, advisories: [], dry_run: false, coalesced: true as const }

const isRefusal = (error: unknown): boolean => typeof error === 'object' && error !== null && !(error as ClientError).retryable

function raiseFor(code: string, message: string, fields: Record<string, unknown> = {}): never {
  throw new ERROR_CLASSES[code as ErrorCode](message, fields)
}

/** What a set of its own would have answered, or raised; null where the bulk answer does not tell enough. */
async function answerOf(index: number, bulk: BulkAnswer, namespace: string): Promise<CoalescedSet | null> {
  const of = <T extends { readonly index: number }>(list: readonly T[]): T | undefined => list.find((row) => row.index === index)
  const written = of(bulk.written)
  if (written) {
    const { index: _index, content_sha256: _hash, ...row } = written
    return { ...row, namespace, noop: false, degraded: [...bulk.degraded], dry_run: false, coalesced: true }
  }
  const blocked = of(bulk.skipped_blacklisted)
  if (blocked) {
    const { blacklist_id, reason } = blocked
    raiseFor('BLACKLISTED', `The value matches a blocked pattern${reason ? `: ${reason}` : ''}. Nothing was stored.`, {
      blacklist_id,
      reason,
    })
  }
  const refused = of(bulk.refused)
  if (refused) raiseFor(refused.code, refused.message)
  const failed = of(bulk.failed)
  if (failed) raiseFor(failed.code, `${failed.memory_key} was not stored. Try again.`)
  const rejected = of(bulk.rejected_pinned)
  if (!rejected) return null
  const [first] = rejected.peers
  return {
    ...NOTHING_WRITTEN,
    peers: rejected.peers,
    memory_id: '',
    version: 0n,
    status: 'rejected',
    namespace,
    memory_key: rejected.memory_key,
    conflict_verdict: 'rejected',
    next: first ? `memory.update(memory_key='${first.memory_key}', value=…)` : '',
    noop: false,
    merged_into_key: '',
    duplicate_of: '',
    pinned: false,
    degraded: [...bulk.degraded],
  }
}
