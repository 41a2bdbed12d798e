import type { Logger } from 'pino'

/** How long a clean close may take before the process ends all the same, in milliseconds. */
const CLOSE_DEADLINE_MS = 4500

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP after `close` has run. A close that hangs, or a second signal, ends the
 * process at once: the store survives that (crash tests).
 */
export async function runUntilSignal(close: () => Promise<void>, logger: Logger): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(name, resolve)
  })
  logger.info({ signal }, 'closing')
  const end = () => {
    logger.error('closing took too long')
    // oxlint-disable-next-line unicorn/no-process-exit -- the one case in which something holds the process for ever
    process.exit(1)
  }
  const deadline = setTimeout(end, CLOSE_DEADLINE_MS)
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, end)
  await close()
  clearTimeout(deadline)
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.off(name, end)
  endSoon()
}

const LINGER_MS = 500

/**
 * Ends the process when something still holds it a moment after its work is done: the shape client leaves a timer of
 * a minute behind.
 */
export function endSoon(): void {
  // oxlint-disable-next-line unicorn/no-process-exit -- everything of ours is closed
  setTimeout(() => process.exit(), LINGER_MS).unref()
}
