import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chunks } from './convert/protobuf.ts'

/** Size in bytes and hash of a file, as the manifest records them. */
interface FileRecord {
  readonly size: number
  readonly sha256: string
}

interface Manifest {
  readonly revision: string
  readonly files: Readonly<Record<string, FileRecord>>
}

/** Writes one file of the folder; `path` is relative to it, with `/`. */
export type WriteFile = (path: string, content: Chunks | AsyncIterable<Uint8Array>) => Promise<void>

const MANIFEST = 'manifest.json'
const READ_BYTES = 1 << 20
const WRITE_BYTES = 1 << 18
const STALE_MS = 3_600_000
const RENAME_ATTEMPTS = 10
const RENAME_WAIT_MS = 100

/**
 * Makes sure that `folder` holds the files its manifest lists, whole and of this revision, and has `build` write them
 * otherwise. Nothing is synced to disk: every start compares the hashes, and what a power cut took is built again.
 * Every file appears under its name only when it is complete, and the manifest last: a build that was cut
 * short counts as none, and processes that build at the same time put the same bytes in place.
 * Answers what was wrong with the folder, or null when nothing was. Errors are those of `build` and of the disk.
 */
export async function ensureCachedFolder(
  folder: string,
  revision: string,
  build: (write: WriteFile) => Promise<void>,
): Promise<string | null> {
  const fault = await findFault(folder, revision)
  if (fault === null) return null
  await mkdir(folder, { recursive: true })
  await removeStale(folder)
  const files: Record<string, FileRecord> = {}
  await build(async (path, content) => {
    files[path] = await writeWhole(join(folder, path), content)
  })
  const manifest: Manifest = { revision, files }
  await writeWhole(join(folder, MANIFEST), [new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`)])
  return fault
}

/** What keeps the folder from being used, in words, or null when every file is as the manifest says. */
async function findFault(folder: string, revision: string): Promise<string | null> {
  const manifest = await readManifest(folder)
  if (manifest === null) return 'no complete copy yet'
  if (manifest.revision !== revision) return `copy is of revision ${manifest.revision}, not ${revision}`
  for (const [path, expected] of Object.entries(manifest.files)) {
    const found = await fileRecord(join(folder, path), expected.size)
    if (found === null) return `${path} is missing or has another size`
    if (found.sha256 !== expected.sha256) return `${path} is damaged`
  }
  return null
}

async function readManifest(folder: string): Promise<Manifest | null> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Partial<Manifest> | null
    const { revision, files } = manifest ?? {}
    return typeof revision === 'string' && typeof files === 'object' && files !== null ? { revision, files } : null
  } catch {
    return null
  }
}

async function fileRecord(path: string, size: number): Promise<FileRecord | null> {
  const file = await open(path).catch(() => null)
  if (file === null) return null
  try {
    const found = await file.stat()
    if (!found.isFile() || found.size !== size) return null
    const hash = createHash('sha256')
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return { size, sha256: hash.digest('hex') }
      hash.update(buffer.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** Hash of one file, as hexadecimal SHA-256. Throws when it cannot be read. */
export async function hashFile(path: string): Promise<string> {
  const { size } = await stat(path)
  const record = await fileRecord(path, size)
  if (record === null) throw new Error(`${path} changed while it was read.`)
  return record.sha256
}

async function writeWhole(path: string, content: Chunks | AsyncIterable<Uint8Array>): Promise<FileRecord> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  const hash = createHash('sha256')
  let size = 0
  try {
    const file = await open(temporary, 'wx')
    try {
      for await (const chunk of gather(content)) {
        hash.update(chunk)
        size += chunk.byteLength
        await file.appendFile(chunk)
      }
    } finally {
      await file.close()
    }
    const record = { size, sha256: hash.digest('hex') }
    await moveInto(temporary, path, record)
    return record
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Joins small chunks: a converted model has thousands of a few bytes, and each write is a call of its own. */
async function* gather(content: Chunks | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let small: Uint8Array[] = []
  let length = 0
  for await (const chunk of content) {
    small.push(chunk)
    length += chunk.byteLength
    if (length < WRITE_BYTES) continue
    yield small.length === 1 ? chunk : Buffer.concat(small)
    small = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(small)
}

/** Windows refuses to replace a file that another process has open; it may hold the very same bytes by then. */
async function moveInto(temporary: string, path: string, record: FileRecord): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(temporary, path)
    } catch (error) {
      if ((await fileRecord(path, record.size))?.sha256 === record.sha256) return
      if (attempt === RENAME_ATTEMPTS) throw error
      await sleep(RENAME_WAIT_MS)
    }
  }
}

/** Removes what writers that died left behind; a live writer's files are younger. */
async function removeStale(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  for (const name of names.filter((entry) => entry.endsWith('.tmp'))) {
    const path = join(folder, name)
    const written = await stat(path).catch(() => null)
    if (written !== null && Date.now() - written.mtimeMs > STALE_MS) await rm(path, { force: true })
  }
}
