import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { create, extract } from 'tar'
import { bytesIn } from '../db/new-folder.ts'

/** Pages that are mostly empty pack well at any level; a higher one only takes longer. */
const LEVEL = 1

export interface Packed {
  readonly bytes: number
  readonly sha256: string
}

/**
 * Packs what is in a folder into a new file that only its owner reads, and brings it to disk.
 * @param packed told of the bytes that went in, and of those of all files; ends the packing by throwing
 */
export async function pack(folder: string, file: string, packed: (bytes: number, all: number) => void = () => {}): Promise<Packed> {
  const hash = createHash('sha256')
  let bytes = 0
  let failure: unknown = null
  await using out = await open(file, 'wx', 0o600)
  const all = await bytesIn(folder)
  let taken = 0
  const filter = (_: string, entry: { readonly size: number; isFile?: () => boolean }): boolean => {
    if (entry.isFile?.() === true) taken += entry.size
    return true
  }
  for await (const chunk of create({ cwd: folder, gzip: { level: LEVEL }, portable: true, strict: true, filter }, ['.'])) {
    // The archive has to come to its end: left in the middle it keeps the files that it reads open for good.
    if (failure !== null) continue
    try {
      packed(taken, all)
      taken = 0
    } catch (error) {
      failure = error
      continue
    }
    hash.update(chunk)
    bytes += chunk.length
    await out.writeFile(chunk).catch((error: unknown) => (failure = error))
  }
  if (failure !== null) throw failure
  await out.sync()
  return { bytes, sha256: hash.digest('hex') }
}

/** Unpacks a file into a folder, which is made. @throws for a file that is no whole archive */
export async function unpack(file: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await extract({ file, cwd: folder, strict: true, preserveOwner: false })
}

/** SHA-256 of a file, in hex. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
