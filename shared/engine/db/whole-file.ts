import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncNames } from './disk-sync.ts'

/** Ends the name of a file that is being written; a process killed meanwhile leaves it. */
const DRAFT = '.new'

/**
 * Writes a file that only its owner reads: aside, then under its name, so that it is there whole or as it was. On disk
 * when this resolves. Several at once never mix; the last one holds.
 */
export async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  const aside = `${path}.${randomBytes(4).toString('hex')}${DRAFT}`
  try {
    {
      await using file = await open(aside, 'wx', 0o600)
      await file.writeFile(data)
      await file.sync()
    }
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
  await syncNames(dirname(path))
}
