import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'
import { packageApp } from '../../main/install/package.mjs'
import type { Requirement } from './requirements.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const electron = join(root, 'node_modules/.cache/loom/electron')
const folder = join(root, 'node_modules/.cache/loom/packaged')

/** What packing the app needs. */
export function packaging(): Requirement {
  const reasons = [
    process.platform === 'linux' ? '' : 'the packed app is tried on Linux only',
    existsSync(join(root, 'node_modules/electron-builder/cli.js')) ? '' : 'electron-builder is not installed (npm ci)',
    existsSync(join(electron, 'version')) ? '' : 'no Electron to pack (node test/tools/prepare-electron.mjs)',
  ].filter(Boolean)
  return { available: reasons.length === 0, reason: reasons.join('; ') }
}

/**
 * The program of the app, packed as `npm run package` packs it: once for each build, some ten seconds, and kept. Those of
 * earlier builds go.
 * @throws Error when it cannot be packed
 */
export function packedProgram(): string {
  const digest = createHash('sha1')
  for (const file of ['out/.stamp', 'electron-builder.yml', 'package-lock.json']) digest.update(readFileSync(join(root, file)))
  const name = digest.digest('hex').slice(0, 12)
  const program = join(folder, name, 'linux-unpacked/loom')
  if (existsSync(program)) return program
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const draft = join(folder, `.${process.pid}`)
  if (!packageApp(['--linux', 'dir'], { output: draft, quiet: true, dist: electron })) throw new Error('The app could not be packed.')
  renameSync(draft, join(folder, name))
  return program
}

/** Chromium refuses its sandbox to root. */
export const rootFlags = (): readonly string[] => (process.getuid?.() === 0 ? ['--no-sandbox'] : [])

export interface Packed {
  readonly child: ChildProcess
  readonly page: Page
  readonly browser: Browser
  stderr(): string
  /** Asks it to end as the system does; answers its exit status and how long that took. */
  stop(): Promise<{ code: number | null; ms: number }>
}

/** The Electron that is packed, without an app. */
export const bareElectron = join(electron, process.platform === 'win32' ? 'electron.exe' : 'electron')

const isOwnPage = (url: string): boolean => url.startsWith('app://loom/') && !url.includes('/write')

/**
 * Starts the packed app with its window, which is reached through Chromium's own debugging port: Node's is shut.
 * @param bare folder of another app, for a program that has none packed, whose page is the first
 */
export async function startPacked(program: string, env: Readonly<Record<string, string>>, bare?: string): Promise<Packed> {
  const app = bare === undefined ? [] : [bare]
  const child = spawn(program, [...app, ...rootFlags(), '--remote-debugging-port=0'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data: Buffer) => (said += data))
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const stop = async () => {
    const from = performance.now()
    child.kill('SIGTERM')
    const code = await gone
    return { code, ms: performance.now() - from }
  }
  try {
    const address = await until(() => /DevTools listening on (ws:\S+)/.exec(said)?.[1], gone)
    const browser = await chromium.connectOverCDP(address)
    const page = await until(
      () =>
        browser
          .contexts()[0]
          ?.pages()
          .find((one) => bare !== undefined || isOwnPage(one.url())),
      gone,
    )
    return { child, page, browser, stderr: () => said, stop }
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`the packed app did not come up: ${said.slice(-2000)}`, { cause: error })
  }
}

async function until<T>(read: () => T | undefined, gone: Promise<unknown>): Promise<T> {
  let isGone = false
  void gone.then(() => (isGone = true))
  for (const end = performance.now() + 60_000; performance.now() < end && !isGone;) {
    const found = read()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(isGone ? 'it ended' : 'it took more than a minute')
}

/** Resident memory of the app's processes that draw pages, in MB, largest first; none where the system does not tell. */
export function rendererMemory(parent: number): number[] {
  const found: number[] = []
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (!command.includes('--type=renderer') || !isBelow(Number(pid), parent)) continue
      found.push(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
    } catch {
      // It ended while it was looked at.
    }
  }
  return found.sort((a, b) => b - a)
}

function isBelow(pid: number, parent: number): boolean {
  for (let at = pid; at > 1; at = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${at}/status`, 'utf8'))?.[1] ?? 0))
    if (at === parent) return true
  return false
}
