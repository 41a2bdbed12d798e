import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Two processes with one pid never have the same start, so that pid and start together name a process for good. */
export type ProcessStart = string

/** How a process stands, as far as the system tells. */
export type ProcessState = { readonly state: 'gone' } | { readonly state: 'running'; readonly start: ProcessStart | null }

/**
 * Whether a process runs and when it started. `start` is null where the system does not tell; a killed process that
 * nobody has collected yet counts as gone, for its files are closed.
 */
export async function lookAtProcess(pid: number): Promise<ProcessState> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return { state: 'gone' }
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: somebody else's process, and alive.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return { state: 'gone' }
  }
  try {
    if (process.platform === 'linux') return await lookInProc(pid)
    return { state: 'running', start: process.platform === 'win32' ? await startOnWindows(pid) : await startByPs(pid) }
  } catch {
    return { state: 'running', start: null }
  }
}

/** The start of this process, in the form that `lookAtProcess` gives for it to others. */
export async function ownStart(): Promise<ProcessStart | null> {
  const self = await lookAtProcess(process.pid)
  return self.state === 'running' ? self.start : null
}

/** Ticks since boot say nothing after a reboot: hence the boot's own id. */
async function lookInProc(pid: number): Promise<ProcessState> {
  let stat: string
  try {
    stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { state: 'gone' }
    throw error
  }
  // The name in parentheses may hold spaces and parentheses of its own; field 3 follows the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return { state: 'gone' }
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
  return { state: 'running', start: `${boot.trim()}/${fields[19]}` }
}

async function startByPs(pid: number): Promise<ProcessStart | null> {
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' } })
  return stdout.trim() || null
}

async function startOnWindows(pid: number): Promise<ProcessStart | null> {
  const command = `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`
  const { stdout } = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', command], { windowsHide: true })
  return stdout.trim() || null
}
