import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { LoomError } from '../../contract/errors.ts'
import { lookAtProcess, ownStart } from './process-start.ts'

/** The setting that names a host's data folder, for messages. */
export type FolderSetting = 'LOOM_HOME' | 'LOOM_SERVER_HOME'

/** The claim of this process to its data folder. */
export interface DataFolderLock extends AsyncDisposable {
  readonly home: string
  release(): Promise<void>
}

const Holder = z.object({
  pid: z.int().positive(),
  /** What tells the process from a later one with its pid; null where the system does not say. */
  start: z.string().nullable(),
  token: z.string().min(1),
})
type Holder = z.infer<typeof Holder>

const LOCK_FILE = 'loom.lock'

/**
 * Makes the data folder (mode 700) and takes its lock. A lock whose process is gone, or whose pid went to another
 * process since, is taken over; a live one never.
 * @throws LoomError UNAVAILABLE with `owner_pid` while another process holds the folder.
 */
export async function lockDataFolder(home: string, setting: FolderSetting = 'LOOM_HOME'): Promise<DataFolderLock> {
  await makePrivateFolder(home, setting)
  const own: Holder = { pid: process.pid, start: await ownStart(), token: randomUUID() }
  const path = join(home, LOCK_FILE)
  const owner = await seize(path, own)
  if (owner !== own)
    throw new LoomError(
      'UNAVAILABLE',
      `The data folder ${home} is in use by process ${owner.pid}. Close that Loom, or give this one another ${setting}.`,
      {
        owner_pid: owner.pid,
        retry_after_s: 1,
      },
    )
  const release = async () => {
    if ((await read(path))?.token === own.token) await unlink(path)
  }
  return { home, release, [Symbol.asyncDispose]: release }
}

/** The live process that holds a data folder, or null. */
export async function holderOf(home: string): Promise<{ readonly pid: number } | null> {
  const holder = await read(join(home, LOCK_FILE))
  return holder && (await isAlive(holder)) ? { pid: holder.pid } : null
}

/** Makes a folder that only its owner can enter. */
export async function makePrivateFolder(path: string, setting: FolderSetting = 'LOOM_HOME'): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await chmod(path, 0o700)
  } catch (cause) {
    throw new LoomError(
      'UNAVAILABLE',
      `The data folder ${path} cannot be made or entered: ${messageOf(cause)}. Name another one in ${setting}.`,
      {},
      { cause },
    )
  }
}

/**
 * Puts `own` at `path` if nobody alive is there; answers who holds it then.
 *
 * Only whoever holds `<path>.next-<token of the dead>` may replace that dead holder, and that claim is seized by the
 * same rule. So of many that find one dead holder a single one replaces it, and one that falls asleep between looking
 * and acting finds another token and gives up. Every step is one atomic link or rename.
 */
async function seize(path: string, own: Holder): Promise<Holder> {
  for (;;) {
    if (await create(path, own)) return own
    const found = await read(path)
    if (found === null) continue
    if (await isAlive(found)) return found
    const claim = `${path}.next-${found.token}`
    const claimant = await seize(claim, own)
    if (claimant !== own) {
      // Somebody alive is replacing the dead holder right now.
      await sleep(10)
      continue
    }
    if ((await read(path))?.token === found.token) {
      await rename(claim, path)
      return own
    }
    await unlink(claim)
  }
}

/** Makes a file with its content in one step; false when there is one. */
async function create(path: string, holder: Holder): Promise<boolean> {
  const draft = join(dirname(path), `.${holder.token}.lock`)
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 })
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await unlink(draft)
  }
}

/** The holder that a file names; null when there is no file. What a crash left unreadable belongs to nobody alive. */
async function read(path: string): Promise<Holder | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
  try {
    return Holder.parse(JSON.parse(text))
  } catch {
    return { pid: 0, start: null, token: 'unreadable' }
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  const found = await lookAtProcess(holder.pid)
  if (found.state === 'gone') return false
  return found.start === null || holder.start === null || found.start === holder.start
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
