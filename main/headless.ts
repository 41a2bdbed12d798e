import type { Logger } from 'pino'
import { isLoomError } from '../shared/contract/errors.ts'
import { OpenFault } from '../shared/contract/recovery.ts'
import { viewOf } from '../shared/engine/recovery/survey.ts'
import { type Config, type DesktopConfig, readEnv, toConfig } from './config.ts'
import { busyFolder, findRunning } from './endpoint.ts'
import { firstTokenLines } from './first-token.ts'
import { createDesktopHost } from './host.ts'
import { recoveryText } from './recovery-text.ts'
import { placesOf } from './recovery.ts'
import { createLogger } from '../shared/engine/host/logger.ts'
import { runUntilSignal } from '../shared/engine/host/run-until-signal.ts'

/** How long a second start waits for the first one to answer, in milliseconds. */
const WAIT_MS = 15_000

/** Runs the host without a window until a signal; a second start says where the first one answers. */
async function main(): Promise<void> {
  const logger = createLogger('loom')
  try {
    const config = toConfig(readEnv())
    while (!(await sayRunning(config.desktop)) && !(await serve(config, logger)));
  } catch (error) {
    if (!isLoomError(error)) logger.fatal({ err: error }, 'Loom could not start')
    process.stderr.write(`${await wordsOf(error)}\n`)
    process.exitCode = 1
  }
}

/** What went wrong; of a database that cannot be opened, also what can be done about it. */
async function wordsOf(error: unknown): Promise<string> {
  const fault = isLoomError(error) ? OpenFault.safeParse(error.fields['recovery']) : null
  if (fault?.success) return recoveryText(await viewOf(placesOf(toConfig(readEnv()).desktop), fault.data), null)
  return error instanceof Error ? error.message : String(error)
}

async function sayRunning(config: DesktopConfig): Promise<boolean> {
  const running = await findRunning(config.home, WAIT_MS)
  if (running.state === 'busy') throw busyFolder(config.home, running.pid)
  if (running.state === 'none') return false
  const { url, pid } = running.endpoint
  process.stdout.write(`Loom is already running at ${url} (process ${pid})\n`)
  return true
}

/** False when another process took the folder between the look and the lock. */
async function serve({ desktop, apps }: Config, logger: Logger): Promise<boolean> {
  try {
    await using host = await createDesktopHost(desktop, { logger, showsFirstToken: true, apps })
    process.stdout.write(`Loom is running at ${host.url}\n`)
    if (host.firstToken !== null) process.stdout.write(firstTokenLines(host.firstToken))
    await runUntilSignal(() => host.close(), logger)
    return true
  } catch (error) {
    if (isLoomError(error) && error.fields['owner_pid'] !== undefined) return false
    throw error
  }
}

await main()
