import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { OpenFault } from '../../contract/recovery.ts'
import { LOOM_VERSION } from '../../contract/version.ts'
import { syncNames } from '../db/disk-sync.ts'
import { writeWhole } from '../db/whole-file.ts'

/** A folder that goes aside, and the name that it goes under, both beside the database. */
const Move = z.object({ from: z.string(), to: z.string() })
export type Move = z.infer<typeof Move>

const Note = z.object({
  fault: OpenFault.nullable(),
  /** Moves under way: undone at the next start, unless the new database is in its place already. */
  moves: z.array(Move),
})
type Note = z.infer<typeof Note>

const fileOf = (dataDir: string): string => join(dirname(dataDir), 'recovery.json')

async function readNote(dataDir: string): Promise<Note> {
  try {
    return Note.parse(JSON.parse(await readFile(fileOf(dataDir), 'utf8')))
  } catch {
    return { fault: null, moves: [] }
  }
}

/**
 * The fault for which a database was left alone before: every further try to open it writes to its files, so there is
 * none until the person asks for it, or another Loom is installed.
 */
export async function knownFault(dataDir: string): Promise<OpenFault | null> {
  const { fault } = await readNote(dataDir)
  return fault?.kind === 'damaged' && fault.app_version === LOOM_VERSION ? fault : null
}

/** Remembers a fault for the next start. */
export async function noteFault(dataDir: string, fault: OpenFault): Promise<void> {
  const { moves } = await readNote(dataDir)
  await writeWhole(fileOf(dataDir), `${JSON.stringify({ fault, moves } satisfies Note)}\n`)
}

/** Forgets the fault: the next start tries to open the database again. */
export async function forgetFault(dataDir: string): Promise<void> {
  await rm(fileOf(dataDir), { force: true })
}

/** Takes down what is about to be moved, so that a process killed meanwhile leaves nothing that looks like an empty memory. */
export async function noteMoves(dataDir: string, moves: readonly Move[]): Promise<void> {
  const { fault } = await readNote(dataDir)
  await writeWhole(fileOf(dataDir), `${JSON.stringify({ fault, moves: [...moves] } satisfies Note)}\n`)
}

/**
 * Ends what a process was killed in while it put another database in the place of a damaged one: without a database the
 * damaged one comes back, with one all is done. Only for whoever holds the lock of the folder.
 */
export async function finishMoves(dataDir: string): Promise<void> {
  const { fault, moves } = await readNote(dataDir)
  if (moves.length === 0) return
  const isBegun = moves.some(({ to }) => existsSync(to))
  if (isBegun && existsSync(dataDir)) {
    await forgetFault(dataDir)
    return
  }
  for (const { from, to } of moves) {
    if (!existsSync(to)) continue
    // What stands there is a copy, made for the database that never came.
    await rm(from, { recursive: true, force: true })
    await rename(to, from)
  }
  await syncNames(dirname(dataDir))
  await writeWhole(fileOf(dataDir), `${JSON.stringify({ fault, moves: [] } satisfies Note)}\n`)
}

/** Deletes what was set aside of a folder: after a purge it would hold what is gone. */
export async function dropAsides(path: string): Promise<void> {
  const around = dirname(path)
  for (const name of await readdir(around).catch(() => []))
    if (name.startsWith(`${basename(path)}.damaged-`)) await rm(join(around, name), { recursive: true, force: true })
}

/** `db.damaged-20261201-0941`, or with a number behind it where there is one already. */
export function asideOf(path: string, at: Date): string {
  const stamp = at.toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 13)
  const name = join(dirname(path), `${basename(path)}.damaged-${stamp}`)
  for (let number = 2; ; number++) {
    const free = number === 2 && !existsSync(name) ? name : `${name}-${number}`
    if (!existsSync(free)) return free
  }
}
