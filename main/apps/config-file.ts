import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chown, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { LoomError } from '../../shared/contract/errors.ts'
import { syncNames } from '../../shared/engine/db/disk-sync.ts'

/** A file of another app as it lies on the disk. */
export interface ConfigFile {
  /** Where its bytes are: behind a link, where that leads. */
  readonly path: string
  readonly exists: boolean
  readonly bytes: Buffer
  readonly text: string
  /** It begins with a byte order mark, which `text` leaves out. */
  readonly marked: boolean
  readonly mode: number
  readonly sha256: string
}

const MOST_BYTES = 20 * 1024 * 1024
const MARK = Buffer.from([0xef, 0xbb, 0xbf])
const NEW_MODE = 0o600
const DRAFT = '.loom-new'

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/** Where a path leads; the path itself where nothing is. @returns null for a link that leads nowhere */
async function targetOf(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return (await lstat(path).catch(() => null)) ? null : path
  }
}

/**
 * Reads a file of settings.
 * @returns what stands against changing it, for people, where something does
 */
export async function readConfigFile(named: string): Promise<ConfigFile | { readonly problem: string }> {
  try {
    const path = await targetOf(named)
    if (path === null) return { problem: 'It is a link that leads nowhere.' }
    const found = await stat(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    })
    if (!found) return { path, exists: false, bytes: Buffer.alloc(0), text: '', marked: false, mode: NEW_MODE, sha256: '' }
    if (!found.isFile()) return { problem: 'It is no file.' }
    if (found.size > MOST_BYTES) return { problem: `It has ${Math.ceil(found.size / 1024 / 1024)} MB, which no file of settings has.` }
    if (found.nlink > 1)
      return { problem: 'It has a second name on this disk (a hard link), which a new file in its place would part from it.' }
    const bytes = await readAll(path)
    if ((found.mode & 0o222) === 0) return { problem: 'It is read-only.' }
    await access(path, constants.W_OK)
    const marked = bytes.subarray(0, 3).equals(MARK)
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(marked ? bytes.subarray(3) : bytes)
    if (text.includes('\0')) return { problem: 'It holds null bytes.' }
    return { path, exists: true, bytes, text, marked, mode: found.mode & 0o7777, sha256: sha256Of(bytes) }
  } catch (error) {
    if (error instanceof TypeError) return { problem: 'It is no text in UTF-8.' }
    const code = codeOf(error)
    if (code === 'EACCES' || code === 'EPERM') return { problem: 'You may not read and write it.' }
    if (code === 'ELOOP') return { problem: 'It is a link that leads back to itself.' }
    if (code === 'ENOTDIR') return { problem: 'What should be its folder is a file.' }
    throw error
  }
}

async function readAll(path: string): Promise<Buffer> {
  await using file = await open(path, 'r')
  return await file.readFile()
}

/** The text as bytes, with the mark that the file had. */
export const bytesOf = (file: Pick<ConfigFile, 'marked'>, text: string): Buffer =>
  file.marked ? Buffer.concat([MARK, Buffer.from(text)]) : Buffer.from(text)

/** Name of the next copy: none that is there is ever written over. */
export async function nextCopy(path: string): Promise<string> {
  const names = new Set(await readdir(dirname(path)).catch(() => [] as string[]))
  for (let number = 1; ; number++) if (!names.has(`${basename(path)}.loom-${number}`)) return `${basename(path)}.loom-${number}`
}

async function writeNew(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await using file = await open(path, 'wx', mode)
  await file.writeFile(bytes)
  await file.chmod(mode)
  await file.sync()
}

/** Keeps a copy beside the file. @returns its path; on disk when this resolves */
export async function keepCopy(file: ConfigFile): Promise<string> {
  const copy = join(dirname(file.path), await nextCopy(file.path))
  await writeNew(copy, file.bytes, file.mode)
  await syncNames(dirname(file.path))
  return copy
}

/** What a killed process left half-written. */
async function dropDrafts(path: string): Promise<void> {
  const start = `.${basename(path)}.`
  for (const name of await readdir(dirname(path)).catch(() => [] as string[]))
    if (name.startsWith(start) && name.endsWith(DRAFT)) await rm(join(dirname(path), name), { force: true })
}

/**
 * Puts other bytes in the file's place, or takes it away (null): whole or not at all, whenever the process ends.
 * @throws LoomError PRECONDITION_FAILED when it is not as it was read
 */
export async function replaceFile(file: ConfigFile, bytes: Uint8Array | null): Promise<void> {
  const folder = dirname(file.path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await dropDrafts(file.path)
  const draft = join(folder, `.${basename(file.path)}.${randomBytes(4).toString('hex')}${DRAFT}`)
  try {
    if (bytes !== null) await writeNew(draft, bytes, file.mode)
    const owner = file.exists ? await stat(file.path) : null
    // Another person's file that one may write stays theirs, where that can be had.
    if (owner && bytes !== null) await chown(draft, owner.uid, owner.gid).catch(() => undefined)
    const now = await readAll(file.path).then(sha256Of, () => '')
    if (now !== file.sha256) throw changed()
    if (bytes === null) await rm(file.path)
    else await rename(draft, file.path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncNames(folder)
}

export const changed = (): LoomError =>
  new LoomError('PRECONDITION_FAILED', 'The file was changed since it was shown. Look at the change again, then write it.')
