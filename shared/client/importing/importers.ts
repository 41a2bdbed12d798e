import { ArchiveError, gunzip, isBeside, readZip } from './archive.ts'
import { peek, type SourceFile } from './bytes.ts'
import type { Columns } from './columns.ts'
import { left, problem, type Found } from './found.ts'
import type { Importer } from './importer.ts'
import { HEAD_BYTES, headOf, isBinary, type Head } from './head.ts'
import { agentSession } from './formats/agent-session.ts'
import { basicMemory } from './formats/basic-memory.ts'
import { chatgpt } from './formats/chatgpt.ts'
import { claude } from './formats/claude.ts'
import { csv } from './formats/csv.ts'
import { loom } from './formats/loom.ts'
import { markdown } from './formats/markdown.ts'
import { mem0 } from './formats/mem0.ts'
import { records } from './formats/records.ts'
import { serverMemory } from './formats/server-memory.ts'
import { transcript } from './formats/transcript.ts'

/** Every format, the surest first. What a file is decides its content, never its name. */
const IMPORTERS = {
  loom,
  chatgpt,
  claude,
  'server-memory': serverMemory,
  'agent-session': agentSession,
  mem0,
  records,
  csv,
  transcript,
  'basic-memory': basicMemory,
  markdown,
} as const satisfies Record<string, Importer>

export type Format = keyof typeof IMPORTERS

/** What is told of a source besides what is found in it. */
export interface Watch {
  /** A file was recognised and is being read. */
  file(path: string, format: Format): void
}

function formatOf(head: Head, columns: Columns): Format | null {
  const known = Object.entries<Importer>(IMPORTERS).find(([, importer]) => importer.recognises(head, columns))
  return (known?.[0] as Format | undefined) ?? null
}

const starts = (bytes: Uint8Array, ...signature: readonly number[]): boolean => signature.every((byte, at) => bytes[at] === byte)

async function* readFile(file: SourceFile, columns: Columns, watch: Watch, depth: number): AsyncGenerator<Found> {
  if (isBeside(file.path)) return
  const { head: first, bytes } = await peek(file.bytes, HEAD_BYTES)
  const opened = { path: file.path, bytes }
  if (first.length === 0) return yield left('empty')
  if (starts(first, 0x50, 0x4b, 0x03, 0x04) || starts(first, 0x50, 0x4b, 0x05, 0x06)) {
    if (depth > 0) return yield left('not_memory')
    return yield* readZip(file.path, bytes, (inside) => readFile(inside, columns, watch, depth + 1))
  }
  if (starts(first, 0x1f, 0x8b)) {
    // Beside its plain form in an archive.
    if (depth > 0) return yield left('not_memory')
    return yield* readFile({ path: file.path, bytes: gunzip(bytes) }, columns, watch, depth + 1)
  }
  if (isBinary(first)) return yield left('not_memory')
  const head = headOf(first, first.length < HEAD_BYTES)
  const format = formatOf(head, columns)
  if (format === null)
    return yield problem({ path: file.path, line: null }, 'NOT_RECOGNISED', 'Nothing in this file looks like memory that Loom can read.')
  watch.file(file.path, format)
  yield* IMPORTERS[format].read(opened, head, columns)
}

/**
 * All that is found in a file, or in the files of an archive. What cannot be read is among it, and ends nothing but
 * itself. Memory does not grow with the size of the source.
 */
export async function* readSource(file: SourceFile, columns: Columns, watch: Watch): AsyncGenerator<Found> {
  try {
    yield* readFile(file, columns, watch, 0)
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    yield problem({ path: file.path, line: null }, 'BAD_ARCHIVE', error.message)
  }
}
