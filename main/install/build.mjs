/**
 * Builds `out/` when the sources are newer than it. Plain Node, no dependencies: it runs before anything is built.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

/** The folder of the clone. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

const sources = ['shared', 'main', 'renderer', 'sync-server', 'electron.vite.config.ts', 'package.json']

/** One hash over name, size and time of every source file: also notices a deleted one, which times alone would not. */
function signature() {
  const hash = createHash('sha1')
  /** @param {string} path */
  const visit = (path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false })
    if (!stat) return
    if (!stat.isDirectory()) hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\n`)
    else for (const name of readdirSync(join(root, path)).sort()) visit(`${path}/${name}`)
  }
  for (const path of sources) visit(path)
  return hash.digest('hex')
}

/** Whether `out/` is missing or made from other sources than those that lie here now. */
export function isStale(now = signature()) {
  try {
    return readFileSync(join(root, 'out/.stamp'), 'utf8') !== now
  } catch {
    return true
  }
}

/**
 * Builds `out/` if need be; one builder at a time, the others wait for it.
 * The build goes to a folder of its own and is then put in place whole, so that nobody ever loads half of one.
 * @param {(line: string) => void} say  gets short progress lines
 * @throws Error with the bundler's output when the build fails; `out/` is then as it was
 */
export async function ensureBuilt(say) {
  if (!isStale()) return
  await withLock(() => {
    const stamp = signature()
    if (!isStale(stamp)) return
    say('Building Loom…')
    const staging = join(root, `out-${process.pid}`)
    const bundler = join(root, 'node_modules/electron-vite/bin/electron-vite.js')
    const run = spawnSync(process.execPath, [bundler, 'build', '--outDir', staging, '--logLevel', 'warn'], {
      cwd: root,
      encoding: 'utf8',
    })
    try {
      if (run.status !== 0) throw new Error(`The build failed.\n${withoutStack(`${run.stdout}${run.stderr}${run.error ?? ''}`)}`)
      writeFileSync(join(staging, '.stamp'), stamp)
      if (existsSync(join(root, 'out'))) renameSync(join(root, 'out'), `${staging}-old`)
      renameSync(staging, join(root, 'out'))
    } finally {
      for (const left of [staging, `${staging}-old`]) rmSync(left, { recursive: true, force: true })
    }
  })
}

/**
 * What the bundler says, without colours and its own call stack.
 * @param {string} output
 */
function withoutStack(output) {
  return stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => !line.startsWith('    at '))
    .join('\n')
    .trim()
}

/** @param {() => void} work */
async function withLock(work) {
  const lock = join(root, 'node_modules/.cache/loom/build.lock')
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      if (!isHeld(lock)) rmSync(lock, { force: true })
      else await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  try {
    work()
  } finally {
    rmSync(lock, { force: true })
  }
}

/**
 * A lock whose process is gone was left by a killed build. An empty one was only just made.
 * @param {string} lock
 */
function isHeld(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    if (pid) process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
