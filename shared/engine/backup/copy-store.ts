import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { bytesIn, copyInto } from '../db/new-folder.ts'
import type { OpenStore } from '../db/pglite.ts'

/** Names in a packed backup. */
export const DATABASE_PART = 'db'
export const OBJECTS_PART = 'objects'

/**
 * Copies a PGlite as it is at one moment. Its one connection is held meanwhile, so that no statement runs and no file
 * changes; whoever writes waits for as long as the copying takes, not the packing.
 * @param objects folder of the originals of documents, copied with it where there is one
 * @param copied told of each file: its bytes, and those of all; ends the copying by throwing
 */
export async function copyStore(
  { location, reader }: OpenStore,
  draft: string,
  objects: string | null,
  copied: (bytes: number, all: number) => void = () => {},
): Promise<void> {
  await mkdir(join(draft, DATABASE_PART), { recursive: true, mode: 0o700 })
  // Counted before the connection is held: whoever writes is not to wait for a number.
  const all = (await bytesIn(location)) + (objects === null ? 0 : await bytesIn(objects))
  const told = (bytes: number): void => copied(bytes, all)
  await reader.connection().execute(async (db) => {
    await sql.raw('CHECKPOINT').execute(db)
    await copyInto(location, join(draft, DATABASE_PART), told)
    if (objects === null || !existsSync(objects)) return
    await mkdir(join(draft, OBJECTS_PART), { mode: 0o700 })
    await copyInto(objects, join(draft, OBJECTS_PART), told)
  })
}
