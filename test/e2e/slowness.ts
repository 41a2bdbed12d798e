import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** What starting Node and ending it takes where nothing else is at work. Milliseconds. */
const FREE_MS = 60
/** What the app gives its engine to close (CLOSE_MS of main/engine-supervisor.ts). */
const CLOSE_MS = 4000

/** How many times slower this machine is just now than one with nothing else to do. */
async function slowness(): Promise<number> {
  const from = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return (performance.now() - from) / FREE_MS
}

/**
 * Whether an app that took so many milliseconds to end may have ended its engine by force: a machine much busier than a
 * person's keeps it from closing in time, and it then leaves its lock to the next start.
 */
export const mayBeForced = async (took: number): Promise<boolean> => took > CLOSE_MS && (await slowness()) > 2
