import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { LoomError } from '../shared/contract/errors.ts'
import { holderOf } from '../shared/engine/host/data-folder.ts'

/** `endpoint.json` of a data folder: how its clients find the running host. */
const Endpoint = z.object({
  url: z.url({ protocol: /^https?$/ }),
  pid: z.int().positive(),
  started_at: z.string(),
  version: z.string(),
})
export type Endpoint = z.infer<typeof Endpoint>

/** Who answers for a data folder: nobody, a host at an address, or a process that has the folder and no address. */
export type Running =
  | { readonly state: 'none' }
  | { readonly state: 'running'; readonly endpoint: Endpoint }
  | { readonly state: 'busy'; readonly pid: number }

const POLL_MS = 100
const HEALTH_TIMEOUT_MS = 3000

const fileOf = (home: string): string => join(home, 'endpoint.json')

/** Writes `endpoint.json` (mode 600) whole or not at all. */
export async function writeEndpoint(home: string, endpoint: Endpoint): Promise<void> {
  const draft = join(home, `.endpoint.${endpoint.pid}.json`)
  await writeFile(draft, `${JSON.stringify(endpoint)}\n`, { mode: 0o600 })
  await rename(draft, fileOf(home))
}

/** Removes `endpoint.json`, also one that a crash left. Only for whoever holds the folder's lock. */
export async function removeEndpoint(home: string): Promise<void> {
  await rm(fileOf(home), { force: true })
}

/** The endpoint that a data folder names, alive or not; null when there is none. */
export async function readEndpoint(home: string): Promise<Endpoint | null> {
  try {
    return Endpoint.parse(JSON.parse(await readFile(fileOf(home), 'utf8')))
  } catch {
    return null
  }
}

/**
 * Looks for the host of a data folder. An endpoint counts only while its process holds the folder's lock: its port may
 * have gone to another program. Waits up to `waitMs` for one process that starts or stops.
 */
export async function findRunning(home: string, waitMs: number): Promise<Running> {
  let deadline = performance.now() + waitMs
  let last: number | null = null
  for (;;) {
    const holder = await holderOf(home)
    if (holder === null) return { state: 'none' }
    // Another one has the folder now: commands that queue for it make headway.
    if (last !== null && holder.pid !== last) deadline = performance.now() + waitMs
    last = holder.pid
    const endpoint = await readEndpoint(home)
    if (endpoint?.pid === holder.pid && (await answers(endpoint.url))) return { state: 'running', endpoint }
    if (performance.now() >= deadline) return { state: 'busy', pid: holder.pid }
    await sleep(POLL_MS)
  }
}

/** Whether a Loom that is not about to stop answers at an address. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS), redirect: 'error' })
    const health = z.object({ status: z.string(), version: z.string() }).safeParse(await response.json())
    return health.success && health.data.status !== 'stopping'
  } catch {
    return false
  }
}

/** What a client says of a folder whose holder does not answer. */
export function busyFolder(home: string, pid: number): LoomError {
  return new LoomError('UNAVAILABLE', `Process ${pid} has the data folder ${home} and does not answer. Close it, or try again.`, {
    owner_pid: pid,
    retry_after_s: 1,
  })
}
