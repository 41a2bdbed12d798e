import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const SHARED_MEMORY = '/dev/shm'
const PREFIX = 'loom-test-'
/** More than a whole run leaves there at any moment. */
const ROOM = 4 * 2 ** 30

/** Bytes that fit into a file system, 0 where there is none. */
function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

/**
 * Where tests keep the folders that they throw away: in memory where there is plenty, for a third of their time went
 * into writing databases to a disk. Nothing they prove rests on the disk: fsyncs are counted, and a killed process
 * leaves what it wrote to the system either way.
 */
export const TEMP: string = roomIn(SHARED_MEMORY) > ROOM && freemem() > 2 * ROOM ? join(SHARED_MEMORY, `${PREFIX}${process.pid}`) : tmpdir()

/** Takes away what test runs left that were killed: it holds memory until the machine starts anew. */
function sweep(): void {
  for (const name of readdirSync(SHARED_MEMORY).filter((one) => one.startsWith(PREFIX)))
    if (!existsSync(`/proc/${name.slice(PREFIX.length)}`)) rmSync(join(SHARED_MEMORY, name), { recursive: true, force: true })
}

/** Makes the folder; what it gives back takes it away with all that tests left in it. */
export function makeTemp(): () => void {
  if (TEMP === tmpdir()) return () => undefined
  sweep()
  mkdirSync(TEMP, { recursive: true })
  return () => rmSync(TEMP, { recursive: true, force: true })
}
