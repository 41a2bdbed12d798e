import type { Client } from '../create-client.ts'
import type { Bytes } from './bytes.ts'
import type { Columns } from './columns.ts'
import type { Found } from './found.ts'
import { readSource } from './importers.ts'
import { createTally, type Report, type Tally } from './report.ts'
import type { Restoring } from './restore/context.ts'
import { createRestorer } from './restore/restorer.ts'
import { createSender, createWaiting, type ImportPlace } from './sender.ts'

/** One file to import, of a size known beforehand. */
export interface ImportFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  open(): Bytes
}

export interface ImportOptions {
  readonly place: ImportPlace
  readonly columns: Columns
  readonly dryRun: boolean
  readonly signal?: AbortSignal
  /** Hears of each step, some times a second at most where there is much to do. */
  readonly onProgress?: (report: Report) => void
}

async function* counted(bytes: Bytes, tally: Tally, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    if (signal?.aborted) return
    tally.counts.read += piece.length
    yield piece
  }
}

const TELL_EVERY_MS = 200

/** What goes on with each thing that is found, in the order in which it has to be stored. */
function createIntake(restoring: Restoring, place: ImportPlace, signal: AbortSignal | undefined, tell: () => void) {
  const { tally } = restoring
  const sender = createSender(place, restoring)
  const restorer = createRestorer(restoring)
  const afterRows = createWaiting()
  const atEnd = createWaiting()

  async function make(waiting: typeof afterRows): Promise<void> {
    await sender.flush()
    for (const { call, at } of waiting.take()) {
      if (signal?.aborted) return
      await sender.call(call, at)
      tell()
    }
  }

  async function takeCall(found: Extract<Found, { kind: 'call' }>): Promise<void> {
    const { op, when, input } = found.call
    if (op === 'memory_schema.register') restorer.schema(String(input['schema']))
    if (when === 'at_once') return sender.call(found.call, found.at)
    const waiting = when === 'after_rows' ? afterRows : atEnd
    waiting.add(found)
    if (waiting.isFull()) await make(waiting)
  }

  return {
    async take(found: Found): Promise<void> {
      switch (found.kind) {
        case 'left':
          return tally.left(found.reason)
        case 'problem':
          return tally.problem(found.problem)
        case 'call':
          return takeCall(found)
        case 'part':
          return restorer.take(found.part, found.at)
        case 'claim':
          tally.found()
          return sender.claim(found.claim, found.at)
        case 'row':
          tally.found()
          return sender.row(found.row, found.at)
      }
    },
    async endFile(): Promise<void> {
      await restorer.flush()
      await make(afterRows)
    },
    end: (): Promise<void> => make(atEnd),
  }
}

/**
 * Reads files and stores what is found. What cannot be read or stored is told in the report, and the rest goes on; a
 * cancelled import answers what it came to, and the same one made again goes on from there. With `dryRun` nothing is
 * stored; each call of up to 200 entries is then judged against the store alone.
 * @throws ClientError when Loom cannot be reached, or refuses the caller
 */
export async function runImport(client: Client, files: readonly ImportFile[], options: ImportOptions): Promise<Report> {
  const { signal, columns, place, dryRun } = options
  const tally = createTally(
    dryRun,
    files.reduce((sum, file) => sum + file.size, 0),
  )
  let told = 0
  const tell = (): void => {
    const now = performance.now()
    if (now - told < TELL_EVERY_MS) return
    told = now
    options.onProgress?.(tally.report(false))
  }
  const { org, namespace } = place
  const where = { ...(org !== undefined && { org }), ...(namespace !== undefined && { namespace }) }
  const restoring: Restoring = { client, place: where, dryRun, options: signal ? { signal } : {}, tally }
  const intake = createIntake(restoring, place, signal, tell)
  try {
    for (const file of files) {
      const source = { path: file.path, bytes: counted(file.open(), tally, signal) }
      for await (const found of readSource(source, columns, tally)) {
        if (signal?.aborted) return tally.report(true)
        await intake.take(found)
        tell()
      }
      await intake.endFile()
    }
    await intake.end()
  } catch (error) {
    if (signal?.aborted) return tally.report(true)
    throw error
  }
  return tally.report(signal?.aborted === true)
}
