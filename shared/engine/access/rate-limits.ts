import { isIPv6 } from 'node:net'
import type { OpContract, RateClass } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import type { Caller } from '../caller.ts'
import type { Clock } from '../clock.ts'

/** Calls a minute by class; 0 = no limit. */
export type Rates = Readonly<Record<RateClass, number>>

export const DEFAULT_RATES: Rates = { read: 1200, write: 600, search: 300, bulk: 60, import: 60, admin: 60 }

/** Failed authentications a minute from one address. */
const FAILURES = 30
const MINUTE_MS = 60_000
/** Buckets kept at most; one that was left alone for a minute is full again and need not be kept. */
const MOST_BUCKETS = 50_000

/**
 * Token buckets in this process's memory, one for each token (without one, for each client address) and class, which hold
 * one minute's budget and refill evenly.
 */
export interface RateLimits {
  /** Budgets as they are shown, by class; all 0 where nothing is limited. */
  readonly shown: Readonly<Record<string, number>>
  /** Takes one call. @throws LoomError RATE_LIMITED with `class` and `retry_after_s` when the bucket is empty. */
  draw(call: Pick<OpContract, 'rate' | 'perAddress'>, caller: Pick<Caller, 'claims' | 'address'>): void
  /** Refuses the unauthenticated calls of an address that failed too often. @throws LoomError RATE_LIMITED. */
  checkFailures(address: string | undefined): void
  /** Notes a failed authentication. @throws LoomError RATE_LIMITED in its place, once there were too many. */
  failed(address: string | undefined): void
}

interface Bucket {
  left: number
  at: number
}

const shownAs = (rate: RateClass): string => (rate === 'import' ? 'memory.import' : rate)

/** A client's address as one client: of IPv6 the network of 64 bits, which one machine has to itself. */
export function clientOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail = ''] = plain.toLowerCase().split('%')[0]?.split('::') ?? []
  const [first, last] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)]
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  const groups = [...first, ...zeros, ...last].map((group) => group.replace(/^0+(?=.)/, ''))
  return `${groups.slice(0, 4).join(':')}::/64`
}

/** @param rates null: nothing is limited (single mode). */
export function createRateLimits(rates: Rates | null, clock: Clock): RateLimits {
  const buckets = new Map<string, Bucket>()

  function forgetFull(now: number): void {
    for (const [name, bucket] of buckets) if (now - bucket.at >= MINUTE_MS) buckets.delete(name)
    // Still too many: the ones that were made first go.
    for (const name of buckets.keys()) {
      if (buckets.size < MOST_BUCKETS) break
      buckets.delete(name)
    }
  }

  /** What the bucket holds now; a clock that went back refills nothing. */
  function look(name: string, budget: number): Bucket {
    const now = clock()
    const known = buckets.get(name)
    if (!known) {
      if (buckets.size >= MOST_BUCKETS) forgetFull(now)
      const full = { left: budget, at: now }
      buckets.set(name, full)
      return full
    }
    known.left = Math.min(budget, known.left + (Math.max(0, now - known.at) * budget) / MINUTE_MS)
    known.at = now
    return known
  }

  function refusal(bucket: Bucket, budget: number, rate: string): LoomError {
    const wait = Math.max(1, Math.ceil(((1 - bucket.left) * MINUTE_MS) / budget / 1000))
    return new LoomError('RATE_LIMITED', `More than ${budget} calls of the class ${rate} a minute. Try again in ${wait} s.`, {
      class: rate,
      retry_after_s: wait,
    })
  }

  function take(name: string, budget: number, rate: string): void {
    const bucket = look(name, budget)
    // A rounding error must not cost a call.
    if (bucket.left < 1 - 1e-9) throw refusal(bucket, budget, rate)
    bucket.left -= 1
  }

  const failures = (address: string): string => `${clientOf(address)} failures`
  return {
    shown: Object.fromEntries((Object.keys(DEFAULT_RATES) as RateClass[]).map((rate) => [shownAs(rate), rates?.[rate] ?? 0])),
    draw({ rate, perAddress }, { claims, address }) {
      // Neither token nor address: the host's own window, or a program that holds the engine.
      const who = claims.token_id || (address === undefined ? '' : clientOf(address))
      if (rates === null || who === '') return
      const own = claims.token_id === '' ? perAddress : undefined
      const budget = own ?? rates[rate]
      if (budget > 0) take(`${who} ${own === undefined ? rate : 'credential'}`, budget, shownAs(rate))
    },
    checkFailures(address) {
      if (rates === null || address === undefined) return
      const bucket = look(failures(address), FAILURES)
      if (bucket.left < 1 - 1e-9) throw refusal(bucket, FAILURES, 'authentication')
    },
    failed(address) {
      if (rates !== null && address !== undefined) take(failures(address), FAILURES, 'authentication')
    },
  }
}
