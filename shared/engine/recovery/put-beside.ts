import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncNames, syncTree } from '../db/disk-sync.ts'
import { copyInto } from '../db/new-folder.ts'
import { asideOf, finishMoves, forgetFault, noteMoves, type Move } from './note.ts'

export interface Replacement {
  /** Folder of the damaged database. */
  readonly dataDir: string
  /** Folder of the originals of documents. */
  readonly objects: string
  /** A closed database that takes its place. */
  readonly fresh: string
  /** Originals that belong to it, or null. */
  readonly freshObjects: string | null
}

/**
 * Puts another database in the place of a damaged one. The damaged one, and the originals of documents with it, since the
 * other knows not all of them, are set aside under another name, byte for byte. Killed at any point, the next start finds
 * either the damaged one in its old place or the new one whole.
 * @returns the folder in which the damaged database lies now
 */
export async function putBeside({ dataDir, objects, fresh, freshObjects }: Replacement, at: Date): Promise<string> {
  await syncTree(fresh)
  const kept = asideOf(dataDir, at)
  const moves: Move[] = [{ from: dataDir, to: kept }]
  if (existsSync(objects)) moves.push({ from: objects, to: asideOf(objects, at) })
  await noteMoves(dataDir, moves)
  try {
    for (const { from, to } of moves) await rename(from, to)
    if (freshObjects !== null && existsSync(freshObjects)) {
      await mkdir(objects, { recursive: true, mode: 0o700 })
      await copyInto(freshObjects, objects)
    }
    await rename(fresh, dataDir)
  } catch (error) {
    await finishMoves(dataDir)
    throw error
  }
  await syncNames(dirname(dataDir))
  await forgetFault(dataDir)
  return kept
}
