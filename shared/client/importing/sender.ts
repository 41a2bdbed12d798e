import { stringifyJson } from '../../contract/json.ts'
import { isLoomError } from '../../contract/errors.ts'
import type { Client } from '../create-client.ts'
import type { Call, Claim, Fields, Found, Place, Row } from './found.ts'
import type { Tally } from './report.ts'
import { notStored, orTold, type Restoring } from './restore/context.ts'

/** Where the claims go; what is left out is filled as in any call. */
export interface ImportPlace {
  readonly org?: string
  readonly namespace?: string
  readonly agent?: string
  readonly user_id?: string
  readonly session_id?: string
  readonly run_id?: string
}

/** Entries of one call, and characters of their texts. */
const BATCH = 200
const BATCH_CHARS = 1024 * 1024

interface Held<T> {
  readonly entry: T
  readonly at: Place
}

/** One entry that a call refuses whole must not keep the others of the call from being written. */
async function inHalves<T>(held: readonly Held<T>[], send: (held: readonly Held<T>[]) => Promise<void>, tally: Tally): Promise<void> {
  try {
    await send(held)
  } catch (error) {
    const [first] = held
    if (!isLoomError(error) || error.code !== 'INVALID_ARGUMENT' || !first) throw error
    if (held.length === 1) tally.problem(notStored(first.at, error))
    else {
      const middle = Math.ceil(held.length / 2)
      await inHalves(held.slice(0, middle), send, tally)
      await inHalves(held.slice(middle), send, tally)
    }
  }
}

/** Whether a row is pinned already: pinning it again would count as saying it again. */
async function isPinned(client: Client, input: Fields, options: Restoring['options']): Promise<boolean> {
  const { value: _value, sensitivity: _level, ...place } = input
  return (await client.call('memory.get', { ...place, fields: ['pinned'] }, options))['pinned'] === true
}

/** Sends claims, rows and what hangs on them, in calls of a size that the engine takes, in the order in which they were found. */
export function createSender(whole: ImportPlace, restoring: Restoring) {
  const { client, place, dryRun, options, tally } = restoring
  let claims: Held<Claim>[] = []
  let texts = new Set<string>()
  let rows: Held<Row>[] = []
  let chars = 0

  async function sendClaims(held: readonly Held<Claim>[]): Promise<void> {
    const { results } = await client.memory.import({ ...whole, entries: held.map((one) => one.entry), dry_run: dryRun }, options)
    for (const { outcome, reason } of results) tally.result(outcome, reason)
  }

  async function sendRows(held: readonly Held<Row>[]): Promise<void> {
    const answer = await client.memory.bulk_set({ ...whole, entries: held.map((one) => one.entry), dry_run: dryRun }, options)
    for (const { status } of answer.written) tally.result('written', status === 'active' ? '' : status)
    for (const _ of answer.unchanged) tally.result('skipped', 'unchanged')
    for (const _ of answer.merged) tally.result('held', 'merge')
    for (const _ of answer.rejected_pinned) tally.result('refused', 'pinned_peer')
    for (const _ of answer.skipped_pinned) tally.result('refused', 'pinned')
    for (const _ of answer.skipped_locked) tally.result('refused', 'locked')
    for (const _ of answer.skipped_blacklisted) tally.result('refused', 'blacklist')
    for (const { index, code } of [...answer.refused, ...answer.failed]) {
      const one = held[index]
      // A proposal that was decided here since.
      if (one?.entry.proposed === true && code === 'KEY_HOLDS_FACT') tally.result('skipped', 'decided')
      else {
        tally.result('refused', code.toLowerCase())
        if (one) tally.problem({ ...one.at, code: 'NOT_STORED', message: `Loom refused the row: ${code}.` })
      }
    }
  }

  async function flush(): Promise<void> {
    const [waitingClaims, waitingRows] = [claims, rows]
    claims = []
    rows = []
    texts = new Set()
    chars = 0
    if (waitingClaims.length > 0) await inHalves(waitingClaims, sendClaims, tally)
    if (waitingRows.length > 0) await inHalves(waitingRows, sendRows, tally)
  }

  async function make({ op, input }: Call, at: Place): Promise<void> {
    const { swapped, ...direct } = input
    if (op === 'memory.pin' && (await isPinned(client, { ...place, ...direct }, options))) return
    const { found, linked, promoted, reason } = await client.call(op, { ...place, ...direct }, options)
    if (linked === false || promoted === false) tally.problem(notStored(at, `${op} of ${String(input['memory_key'])}: ${String(reason)}.`))
    // Of two rows the later write is named; here it may be the other one.
    if (found === false && swapped !== undefined) await client.call(op, { ...place, ...direct, ...(swapped as Fields) }, options)
  }

  return {
    flush,
    async claim(entry: Claim, at: Place): Promise<void> {
      // In one call a text stands once: twice with other fields refuses the whole call.
      if (texts.has(entry.text)) return tally.result('skipped', 'repeated')
      texts.add(entry.text)
      claims.push({ entry, at })
      chars += entry.text.length
      if (claims.length >= BATCH || chars >= BATCH_CHARS) await flush()
    },
    async row(entry: Row, at: Place): Promise<void> {
      rows.push({ entry, at })
      chars += typeof entry.value === 'string' ? entry.value.length : stringifyJson(entry.value).length
      if (rows.length >= BATCH || chars >= BATCH_CHARS) await flush()
    },
    /** A dry run makes none: what hangs on rows is not counted. */
    async call(call: Call, at: Place): Promise<void> {
      await flush()
      if (!dryRun) await orTold(at, restoring, call.op, () => make(call, at))
    },
  }
}

/** Calls that wait for the rows that they are about, and are kept in memory meanwhile. */
const MOST_WAITING = 10_000
const MOST_WAITING_CHARS = 32 * 1024 * 1024

type Waiting = Extract<Found, { kind: 'call' }>

/** Calls that wait, in the order in which they were found, and whether there are as many as may be held. */
export function createWaiting() {
  let calls: Waiting[] = []
  let chars = 0
  return {
    add(found: Waiting): void {
      calls.push(found)
      const { value } = found.call.input
      if (typeof value === 'string') chars += value.length
      else if (value !== undefined) chars += stringifyJson(value).length
    },
    isFull: (): boolean => calls.length >= MOST_WAITING || chars >= MOST_WAITING_CHARS,
    take(): Waiting[] {
      const all = calls
      calls = []
      chars = 0
      return all
    },
  }
}
