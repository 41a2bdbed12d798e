import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { unpackedOf } from '../backup/swap.ts'
import { copyInto } from '../db/new-folder.ts'
import { openUnmigrated, SALVAGE_PARAMS, type OpenStore } from '../db/pglite.ts'

/**
 * Works on a copy of a damaged database, opened as far as it can be: the files themselves are read, and never written to.
 * @throws what Postgres says where it cannot start even so
 */
export async function withCopy<T>(dataDir: string, work: (store: OpenStore) => Promise<T>): Promise<T> {
  const copy = unpackedOf(dataDir, `copy-${randomUUID()}`)
  try {
    await mkdir(copy, { recursive: true, mode: 0o700 })
    await copyInto(dataDir, copy)
    // Left by whoever had it last; it would stop a start.
    await rm(`${copy}/postmaster.pid`, { force: true })
    await using store = await openUnmigrated(copy, SALVAGE_PARAMS)
    return await work(store)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}
