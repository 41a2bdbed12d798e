/**
 * Makes a clone ready to run: packages installed, sources built. Plain Node, no dependencies, safe on a fresh clone.
 *
 *     node main/install/ensure.mjs             packages only
 *     node main/install/ensure.mjs --build     and the build
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt, root } from './build.mjs'

const oldestNode = 20

/**
 * One short line of progress. Never on stdout, which belongs to the program that is started.
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`${line}\n`)
}

/** Whether every package that package.json pins lies in node_modules, whole. */
function isInstalled() {
  // npm writes this file last: without it an install was broken off.
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) return false
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries({ ...dependencies, ...devDependencies }).every(([name, version]) => {
    try {
      return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version === version
    } catch {
      return false
    }
  })
}

/** Installs the packages that are missing or of another version. */
function ensureInstalled() {
  if (isInstalled()) return
  say('Installing packages (once, about half a minute)…')
  const npm = process.env.npm_execpath
  const args = ['ci', '--include=dev', '--loglevel=error', '--no-audit', '--no-fund']
  const { NODE_ENV: _, ...env } = process.env
  const run = spawnSync(npm ? process.execPath : 'npm', npm ? [npm, ...args] : args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // Windows has npm as a script of its shell.
    shell: !npm && process.platform === 'win32',
    env: { ...env, ELECTRON_SKIP_BINARY_DOWNLOAD: '1', ONNXRUNTIME_NODE_INSTALL: 'skip' },
  })
  if (run.status === 0) return
  throw new Error(`Installing packages failed${run.error ? `: ${run.error.message}` : ', for the reason above'}.`)
}

/**
 * Packages and build, or one message on stderr and exit status 1.
 * @param {{ build: boolean }} options
 */
export async function ensure({ build }) {
  try {
    if (Number(process.versions.node.split('.')[0]) < oldestNode)
      throw new Error(`Loom needs Node ${oldestNode} or newer; this is Node ${process.versions.node} (${process.execPath}).`)
    ensureInstalled()
    if (build) await ensureBuilt(say)
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await ensure({ build: process.argv.includes('--build') })
