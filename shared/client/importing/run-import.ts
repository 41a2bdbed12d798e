import type { Client } from '../create-client.ts'
import { isLoomError } from '../../contract/errors.ts'
import type { Bytes } from './bytes.ts'
import type { Columns } from './columns.ts'
import type { Call, Claim, Found, LeftReason, Place, Problem, Row } from './found.ts'
import { readSource, type Format } from './importers.ts'

/** One file to import, of a size known beforehand. */
export interface ImportFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  open(): Bytes
}

/** Where the claims go; what is left out is filled as in any call. */
export interface ImportPlace {
  readonly org?: string
  readonly namespace?: string
  readonly agent?: string
  readonly user_id?: string
  readonly session_id?: string
  readonly run_id?: string
}

export interface ImportOptions {
  readonly place: ImportPlace
  readonly columns: Columns
  readonly dryRun: boolean
  readonly signal?: AbortSignal
  /** Hears of each step, some times a second at most where there is much to do. */
  readonly onProgress?: (report: Report) => void
}

export type Outcome = 'written' | 'held' | 'skipped' | 'refused'

/** What an import came to, so far or in the end. */
export interface Report {
  readonly dry_run: boolean
  readonly cancelled: boolean
  /** Files that were read, the first 1,000. */
  readonly files: readonly { readonly path: string; readonly format: Format; readonly found: number }[]
  readonly file_count: number
  /** Claims and rows found. */
  readonly found: number
  readonly totals: Readonly<Record<Outcome, number>>
  /** Counts by outcome and reason, as `skipped unchanged`; a plain write has no reason. */
  readonly reasons: Readonly<Record<string, number>>
  /** What is no claim, by why. */
  readonly left: Readonly<Partial<Record<LeftReason, number>>>
  /** The first 200. */
  readonly problems: readonly Problem[]
  readonly problem_count: number
  readonly bytes_read: number
  readonly bytes_total: number
}

const MOST_FILES = 1000
const MOST_PROBLEMS = 200
/** Entries of one call, and characters of their texts. */
const BATCH = 200
const BATCH_CHARS = 1024 * 1024

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Counts what happens, and shows it whole. */
function createTally(dryRun: boolean, total: number) {
  const totals: Mutable<Report['totals']> = { written: 0, held: 0, skipped: 0, refused: 0 }
  const reasons: Record<string, number> = {}
  const left: Partial<Record<LeftReason, number>> = {}
  const files: { path: string; format: Format; found: number }[] = []
  const problems: Problem[] = []
  const counts = { files: 0, found: 0, problems: 0, read: 0 }
  return {
    counts,
    file(path: string, format: Format): void {
      counts.files++
      if (files.length < MOST_FILES) files.push({ path, format, found: 0 })
    },
    found(): void {
      counts.found++
      const file = files.at(-1)
      if (file && counts.files <= MOST_FILES) file.found++
    },
    left: (reason: LeftReason): void => void (left[reason] = (left[reason] ?? 0) + 1),
    problem(one: Problem): void {
      counts.problems++
      if (problems.length < MOST_PROBLEMS) problems.push(one)
    },
    result(outcome: Outcome, reason: string): void {
      totals[outcome]++
      const name = reason === '' ? outcome : `${outcome} ${reason}`
      reasons[name] = (reasons[name] ?? 0) + 1
    },
    report: (cancelled: boolean): Report => ({
      dry_run: dryRun,
      cancelled,
      files: files.map((file) => ({ ...file })),
      file_count: counts.files,
      found: counts.found,
      totals: { ...totals },
      reasons: { ...reasons },
      left: { ...left },
      problems: [...problems],
      problem_count: counts.problems,
      bytes_read: Math.min(counts.read, total),
      bytes_total: total,
    }),
  }
}
type Tally = ReturnType<typeof createTally>

interface Held<T> {
  readonly entry: T
  readonly at: Place
}

const notStored = (at: Place, error: unknown): Problem => ({
  ...at,
  code: 'NOT_STORED',
  message: error instanceof Error ? error.message : String(error),
})

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

/** Sends what is found, in calls of a size that the engine takes, in the order in which it was found. */
function createSender(client: Client, options: ImportOptions, tally: Tally) {
  const { place, dryRun, signal } = options
  const call = signal ? { signal } : {}
  let claims: Held<Claim>[] = []
  let texts = new Set<string>()
  let rows: Held<Row>[] = []
  let chars = 0

  async function sendClaims(held: readonly Held<Claim>[]): Promise<void> {
    const { results } = await client.memory.import({ ...place, entries: held.map((one) => one.entry), dry_run: dryRun }, call)
    for (const { outcome, reason } of results) tally.result(outcome, reason)
  }

  async function sendRows(held: readonly Held<Row>[]): Promise<void> {
    const answer = await client.memory.bulk_set({ ...place, entries: held.map((one) => one.entry), dry_run: dryRun }, call)
    for (const { status } of answer.written) tally.result('written', status === 'active' ? '' : status)
    for (const _ of answer.unchanged) tally.result('skipped', 'unchanged')
    for (const _ of answer.merged) tally.result('held', 'merge')
    for (const _ of answer.rejected_pinned) tally.result('refused', 'pinned_peer')
    for (const _ of answer.skipped_pinned) tally.result('refused', 'pinned')
    for (const _ of answer.skipped_locked) tally.result('refused', 'locked')
    for (const _ of answer.skipped_blacklisted) tally.result('refused', 'blacklist')
    for (const { index, code } of [...answer.refused, ...answer.failed]) {
      tally.result('refused', code.toLowerCase())
      const one = held[index]
      if (one) tally.problem({ ...one.at, code: 'NOT_STORED', message: `Loom refused the row: ${code}.` })
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
      chars +=
        typeof entry.value === 'string'
          ? entry.value.length
          : JSON.stringify(entry.value, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)).length
      if (rows.length >= BATCH || chars >= BATCH_CHARS) await flush()
    },
    async call({ op, input }: Call, at: Place): Promise<void> {
      await flush()
      const isRecord = op === 'memory.record.write'
      if (dryRun && !isRecord) return
      const { org, namespace } = place
      try {
        const where = { ...(org !== undefined && { org }), ...(namespace !== undefined && { namespace }) }
        const answer = await client.call(op, { ...where, ...input, ...(isRecord && { dry_run: dryRun }) }, call)
        if (isRecord && answer['noop'] === true) tally.result('skipped', 'unchanged')
        else if (isRecord) tally.result('written', '')
      } catch (error) {
        if (!isLoomError(error) || error.code === 'CANCELLED' || error.code === 'UNAVAILABLE') throw error
        tally.problem(notStored(at, new Error(`${op}: ${error.message}`)))
      }
    },
  }
}

async function* counted(bytes: Bytes, tally: Tally, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    if (signal?.aborted) return
    tally.counts.read += piece.length
    yield piece
  }
}

const TELL_EVERY_MS = 200

/**
 * Reads files and stores what is found. What cannot be read or stored is told in the report, and the rest goes on; a
 * cancelled import answers what it came to, and the same one made again goes on from there. With `dryRun` nothing is
 * stored; each call of up to 200 entries is then judged against the store alone.
 * @throws ClientError when Loom cannot be reached, or refuses the caller
 */
export async function runImport(client: Client, files: readonly ImportFile[], options: ImportOptions): Promise<Report> {
  const { signal, columns } = options
  const total = files.reduce((sum, file) => sum + file.size, 0)
  const tally = createTally(options.dryRun, total)
  const sender = createSender(client, options, tally)
  // Those of a Loom export that wait for the rows that they are about.
  let later: { call: Call; at: Place }[] = []
  let told = 0
  const tell = (): void => {
    const now = performance.now()
    if (now - told < TELL_EVERY_MS) return
    told = now
    options.onProgress?.(tally.report(false))
  }
  async function take(found: Found): Promise<void> {
    if (found.kind === 'left') tally.left(found.reason)
    else if (found.kind === 'problem') tally.problem(found.problem)
    else if (found.kind === 'call') {
      if (found.call.op === 'memory.record.write') tally.found()
      if (AT_ONCE.has(found.call.op)) await sender.call(found.call, found.at)
      else later.push(found)
      if (later.length >= MOST_LATER) await settle()
    } else {
      tally.found()
      if (found.kind === 'claim') await sender.claim(found.claim, found.at)
      else await sender.row(found.row, found.at)
    }
  }
  async function settle(): Promise<void> {
    const waiting = later
    later = []
    await sender.flush()
    for (const { call, at } of waiting) {
      if (signal?.aborted) return
      await sender.call(call, at)
      tell()
    }
  }
  try {
    for (const file of files) {
      const source = { path: file.path, bytes: counted(file.open(), tally, signal) }
      for await (const found of readSource(source, columns, tally)) {
        if (signal?.aborted) return tally.report(true)
        await take(found)
        tell()
      }
      await settle()
    }
    await settle()
  } catch (error) {
    if (signal?.aborted) return tally.report(true)
    throw error
  }
  return tally.report(signal?.aborted === true)
}

/** What the rows after them need; other calls need the rows. */
const AT_ONCE: ReadonlySet<Call['op']> = new Set([
  'namespace.register',
  'namespace.register_category',
  'memory_schema.register',
  'memory.record.write',
])
/** Calls that are held back for rows to come. */
const MOST_LATER = 10_000
