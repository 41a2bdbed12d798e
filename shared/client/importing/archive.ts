import { Gunzip, Unzip, UnzipInflate, type UnzipFile } from 'fflate'
import type { Bytes, SourceFile } from './bytes.ts'
import { left, problem, type Found } from './found.ts'

/** Files of a zip as it comes, one after another; none is ever held whole. */

/** Most bytes that an archive may come to, and how many times its own size, beyond a first allowance: a bomb is neither. */
const MOST_BYTES = 8 * 1024 ** 3
const MOST_RATIO = 200
const ALLOWANCE = 256 * 1024 * 1024
const MOST_FILES = 100_000

/** Files that hold no text, by the end of their names: they are passed over without being unpacked. */
const MEDIA = /\.(?:png|jpe?g|gif|webp|heic|svg|mp3|mp4|m4a|wav|ogg|webm|mov|pdf|docx?|xlsx?|pptx?|ttf|woff2?|ico|exe|dll|so|db|sqlite)$/i
/** What systems and tools put beside a person's files. */
const BESIDE = /(?:^|\/)(?:__MACOSX|\.git|\.obsidian|\.trash|node_modules|\.DS_Store|Thumbs\.db)(?:\/|$)/

export const isBeside = (path: string): boolean => BESIDE.test(path)

export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

type Step = { kind: 'file'; file: UnzipFile } | { kind: 'data'; piece: Uint8Array } | { kind: 'end' } | { kind: 'failed'; why: string }

/** Counts what was packed and what came out, and stops a bomb. */
function createGauge() {
  const gauge = {
    packed: 0,
    unpacked: 0,
    add(bytes: number): void {
      gauge.unpacked += bytes
      if (gauge.unpacked > MOST_BYTES || gauge.unpacked > ALLOWANCE + gauge.packed * MOST_RATIO)
        throw new ArchiveError('The archive unpacks to far more than it holds. It was not read further.')
    },
  }
  return gauge
}

/** The text of a gzip file. @throws ArchiveError for a bomb, or a file that is none. */
export async function* gunzip(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const gauge = createGauge()
  const pieces: Uint8Array[] = []
  const unpack = new Gunzip((piece) => {
    gauge.add(piece.length)
    pieces.push(piece)
  })
  for await (const piece of bytes) {
    gauge.packed += piece.length
    for (let from = 0; from < piece.length; from += PIECE) {
      guarded(() => unpack.push(piece.subarray(from, from + PIECE)))
      yield* pieces.splice(0)
    }
  }
  guarded(() => unpack.push(new Uint8Array(0), true))
  yield* pieces.splice(0)
}

/** Packed bytes are given in pieces of this size: one comes to at most a thousand times as much. */
const PIECE = 16 * 1024

function guarded(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (error instanceof ArchiveError) throw error
    throw new ArchiveError(`The archive cannot be unpacked: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/**
 * What `read` makes of each text file of a zip, in the order of the archive.
 * @throws ArchiveError for a bomb, or a file that is no zip
 */
export async function* readZip(path: string, bytes: Bytes, read: (file: SourceFile) => AsyncIterable<Found>): AsyncGenerator<Found> {
  const gauge = createGauge()
  const steps: Step[] = []
  let files = 0
  const passed: Found[] = []
  const unzip = new Unzip((file) => {
    files++
    if (files > MOST_FILES) throw new ArchiveError(`The archive has more than ${MOST_FILES} files.`)
    if (file.name.endsWith('/') || isBeside(file.name)) return
    if (MEDIA.test(file.name)) return void passed.push(left('not_memory'))
    steps.push({ kind: 'file', file })
    file.ondata = (error, piece, final) => {
      if (error) steps.push({ kind: 'failed', why: error.message })
      else {
        gauge.add(piece.length)
        if (piece.length > 0) steps.push({ kind: 'data', piece })
      }
      if (final && !error) steps.push({ kind: 'end' })
    }
    try {
      file.start()
    } catch (error) {
      steps.push({ kind: 'failed', why: error instanceof Error ? error.message : String(error) })
    }
  })
  unzip.register(UnzipInflate)

  const packed = pieces(bytes, gauge)
  let isOver = false
  async function next(): Promise<Step | null> {
    while (steps.length === 0 && !isOver) {
      const piece = await packed.next()
      if (piece.done) {
        isOver = true
        guarded(() => unzip.push(new Uint8Array(0), true))
      } else guarded(() => unzip.push(piece.value, false))
    }
    return steps.shift() ?? null
  }

  for (let step = await next(); step !== null; step = await next()) {
    if (step.kind !== 'file') continue
    const inside = `${path}/${step.file.name}`
    let whole = false
    let why = ''
    async function* contents(): AsyncGenerator<Uint8Array> {
      for (let part = await next(); part !== null; part = await next()) {
        if (part.kind === 'data') yield part.piece
        else {
          if (part.kind === 'failed') why = part.why
          whole = true
          return
        }
      }
      why = 'it ends in the middle'
      whole = true
    }
    const stream = contents()
    yield* read({ path: inside, bytes: { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) } })
    // What the importer had no use for is passed over, piece by piece.
    while (!whole) if ((await stream.next()).done) break
    if (why !== '') yield problem({ path: inside, line: null }, 'BAD_ARCHIVE', `The file cannot be unpacked: ${why}.`)
  }
  yield* passed
  if (files === 0) throw new ArchiveError('The archive holds no file.')
}

async function* pieces(bytes: Bytes, gauge: { packed: number }): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    for (let from = 0; from < piece.length; from += PIECE) {
      const part = piece.subarray(from, from + PIECE)
      gauge.packed += part.length
      yield part
    }
  }
}
