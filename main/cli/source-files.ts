import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isBeside } from '../../shared/client/importing/archive.ts'
import type { ImportFile } from '../../shared/client/importing/run-import.ts'
import { UsageError } from './usage-error.ts'

/** Deeper folders are a ring of links, or no folder of notes. */
const DEEPEST = 64

const fileAt = (path: string, name: string, size: number): ImportFile => ({ path: name, size, open: () => createReadStream(path) })

/** Files of a folder and of those inside it, in the order of their names. Links are not followed: they may lead in a circle. */
async function filesIn(folder: string, root: string, depth: number): Promise<ImportFile[]> {
  const files: ImportFile[] = []
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    const name = relative(root, path).split(sep).join('/')
    if (isBeside(name) || entry.isSymbolicLink()) continue
    if (entry.isDirectory() && depth < DEEPEST) files.push(...(await filesIn(path, root, depth + 1)))
    else if (entry.isFile()) files.push(fileAt(path, name, (await lstat(path)).size))
  }
  return files
}

/**
 * The files that a command line names: files, or whole folders.
 * @throws UsageError for a path where nothing can be read
 */
export async function sourceFiles(paths: readonly string[]): Promise<ImportFile[]> {
  const files: ImportFile[] = []
  for (const path of paths) {
    try {
      const found = await lstat(path)
      if (found.isDirectory()) files.push(...(await filesIn(path, path, 0)))
      else files.push(fileAt(path, path.split(sep).at(-1) ?? path, found.size))
    } catch (error) {
      throw new UsageError(`Cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return files
}
