import { setTimeout as sleep } from 'node:timers/promises'
import { httpLink } from '../../shared/client/http-link.ts'
import { createClient } from '../../shared/client/create-client.ts'
import { LoomError } from '../../shared/contract/errors.ts'
import { contractOf, isOpName } from '../../shared/contract/registry.ts'
import { createClosers } from '../../shared/engine/host/closers.ts'
import { lockDataFolder } from '../../shared/engine/host/data-folder.ts'
import { createLogger } from '../../shared/engine/host/logger.ts'
import { type Config, readEnv, toConfig } from '../config.ts'
import { busyFolder, findRunning } from '../endpoint.ts'
import { reportError, runOperation } from './run-operation.ts'
import { UsageError } from './usage-error.ts'

/** How long `--once` waits for an app that starts, in milliseconds. */
const WAIT_MS = 20_000
/** How long no change may be taken, in seconds, unless `--timeout` says so. */
const PATIENCE_S = 300
const LONGEST_S = 86_400
const LOOK_MS = 200

/**
 * `loom sync --once` runs one round; `loom sync status` and its kin are the operations `sync.*`. Answers the exit status.
 * @throws UsageError for anything else
 */
export async function runSync(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args
  if (first === '--once') return once(rest)
  const name = `sync.${first ?? 'status'}`
  if (isOpName(name)) return runOperation(contractOf(name), rest)
  throw new UsageError('loom sync --once [--timeout SECONDS] | status | connect | disconnect | inbox | inbox_decide')
}

/** Arguments of `--once`: its patience, and what the status after it takes. */
function patienceIn(rest: readonly string[]): { seconds: number; shown: string[] } {
  const usage = new UsageError(`loom sync --once takes --json and --timeout SECONDS (1 to ${LONGEST_S})`)
  let seconds = PATIENCE_S
  const shown: string[] = []
  for (let at = 0; at < rest.length; at++) {
    if (rest[at] === '--json') shown.push('--json')
    else if (rest[at] === '--timeout' && /^\d{1,5}$/.test(rest[at + 1] ?? '')) seconds = Number(rest[++at])
    else throw usage
  }
  if (seconds < 1 || seconds > LONGEST_S) throw usage
  return { seconds, shown }
}

/**
 * One round. Ends with 1 where the server cannot be reached, refuses, or takes none of the changes that wait for as long as the
 * patience lasts; what was not taken stays queued.
 */
async function once(rest: readonly string[]): Promise<number> {
  const { seconds, shown } = patienceIn(rest)
  const config = toConfig(readEnv())
  try {
    const running = await findRunning(config.desktop.home, WAIT_MS)
    if (running.state === 'busy') throw busyFolder(config.desktop.home, running.pid)
    if (running.state === 'running') await waitForApp(running.endpoint.url, config, seconds)
    else await syncHere(config, seconds)
  } catch (error) {
    reportError(error, shown.includes('--json'))
    return 1
  }
  return runOperation(contractOf('sync.status'), shown)
}

/** An app that runs syncs by itself: this waits until nothing is left to send. */
async function waitForApp(baseUrl: string, { client }: Config, seconds: number): Promise<void> {
  const app = createClient(httpLink({ baseUrl, ...(client.apiKey !== null && { token: client.apiKey }) }))
  let left = Number.POSITIVE_INFINITY
  let end = 0
  for (;;) {
    const { state, queued, error } = await app.sync.status({})
    if (state === 'off') throw new LoomError('UNAVAILABLE', 'This desktop is not connected to a team server.')
    if (state === 'idle' && queued === 0) return
    if (queued < left) end = Date.now() + seconds * 1000
    left = Math.min(left, queued)
    const halted = state === 'offline' || state === 'error' || state === 'revoked' || state === 'paused'
    if (halted) throw new LoomError('UNAVAILABLE', error?.message ?? `Syncing is ${state}; ${queued} changes wait.`, { queued })
    if (Date.now() > end) {
      const words = `No change was taken for ${seconds} s, and ${queued} wait still. Nothing is lost: Loom goes on by itself.`
      throw new LoomError('UNAVAILABLE', words, { queued })
    }
    await sleep(LOOK_MS)
  }
}

async function syncHere({ desktop }: Config, seconds: number): Promise<void> {
  // Loaded only now: database and models cost more than the rest of the command.
  const { openEngine } = await import('../open-engine.ts')
  const logger = createLogger('loom', 'warn')
  const closers = createClosers((error) => logger.error({ err: error }, 'closing failed'))
  try {
    const lock = await lockDataFolder(desktop.home)
    closers.add(() => lock.release())
    const { local } = await openEngine(desktop, logger, closers)
    await local().sync?.once(seconds * 1000)
  } finally {
    await closers.close()
  }
}
