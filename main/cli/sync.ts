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

/** How long `--once` waits for an app that starts, and for an app that syncs, in milliseconds. */
const WAIT_MS = 20_000
const SYNC_WAIT_MS = 300_000
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
  throw new UsageError('loom sync --once | status | connect | disconnect | inbox | inbox_decide')
}

async function once(rest: readonly string[]): Promise<number> {
  if (rest.some((argument) => argument !== '--json')) throw new UsageError('loom sync --once takes no more than --json')
  const config = toConfig(readEnv())
  try {
    const running = await findRunning(config.desktop.home, WAIT_MS)
    if (running.state === 'busy') throw busyFolder(config.desktop.home, running.pid)
    if (running.state === 'running') await waitForApp(running.endpoint.url, config)
    else await syncHere(config)
  } catch (error) {
    reportError(error, rest.includes('--json'))
    return 1
  }
  return runOperation(contractOf('sync.status'), rest)
}

/** An app that runs syncs by itself: this waits until nothing is left to send. */
async function waitForApp(baseUrl: string, { client }: Config): Promise<void> {
  const app = createClient(httpLink({ baseUrl, ...(client.apiKey !== null && { token: client.apiKey }) }))
  const end = Date.now() + SYNC_WAIT_MS
  for (;;) {
    const status = await app.sync.status({})
    if (status.state === 'off') throw new LoomError('UNAVAILABLE', 'This desktop is not connected to a team server.')
    if (status.state === 'idle' && status.queued === 0) return
    const halted = status.state === 'offline' || status.state === 'error' || status.state === 'revoked' || status.state === 'paused'
    if (halted || Date.now() > end)
      throw new LoomError('UNAVAILABLE', status.error?.message ?? `Syncing is ${status.state}; ${status.queued} changes wait.`)
    await sleep(LOOK_MS)
  }
}

async function syncHere({ desktop }: Config): Promise<void> {
  // Loaded only now: database and models cost more than the rest of the command.
  const { openEngine } = await import('../open-engine.ts')
  const logger = createLogger('loom', 'warn')
  const closers = createClosers((error) => logger.error({ err: error }, 'closing failed'))
  try {
    const lock = await lockDataFolder(desktop.home)
    closers.add(() => lock.release())
    const { local } = await openEngine(desktop, logger, closers)
    await local().sync?.once()
  } finally {
    await closers.close()
  }
}
