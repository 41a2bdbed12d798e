import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './build.mjs'
import { say } from './ensure.mjs'

const home = join(root, 'node_modules/electron')

/** Path of Electron's program, or null while it is not here. */
function electronPath() {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH
  const marker = join(home, 'path.txt')
  const name = existsSync(marker) ? readFileSync(marker, 'utf8') : dist && 'electron'
  if (!name) return null
  const path = join(dist ?? join(home, 'dist'), name)
  return existsSync(path) ? path : null
}

/** Electron's program, fetched once where that is possible; null where it is not. */
export function ensureElectron() {
  const path = electronPath()
  if (path || process.env.ELECTRON_SKIP_BINARY_DOWNLOAD) return path
  say("Fetching Electron's window runtime (once, about 110 MB)…")
  const run = spawnSync(process.execPath, [join(home, 'install.js')], { stdio: ['ignore', 2, 'pipe'], encoding: 'utf8' })
  if (run.status === 0) return electronPath()
  say(`It could not be fetched: ${run.stderr.trim().split('\n')[0] ?? run.error}`)
  return null
}

/** Whether a window can show: only Linux may have no display. */
function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
}

/**
 * Opens the window and stays until it is closed; signals go through to it, and its exit status becomes ours.
 * @param {readonly string[]} args
 * @returns {Promise<boolean>} false when no window can be had here, which has then been said
 */
export async function openWindow(args) {
  if (!hasDisplay()) {
    say('No display here: starting without a window.')
    return false
  }
  const electron = ensureElectron()
  if (!electron) {
    say('No Electron here: starting without a window. `npm start` tries again next time.')
    return false
  }
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env
  // Chromium refuses its sandbox to root.
  const flags = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const child = spawn(electron, [...flags, root, ...args], { stdio: 'inherit', env })
  const forward = /** @param {NodeJS.Signals} signal */ (signal) => void child.kill(signal)
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, forward)
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(127))
    child.once('exit', (status, signal) => resolve(status ?? (signal ? 1 : 0)))
  })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.off(signal, forward)
  // 127: the program itself could not be loaded, as on a server without the desktop's libraries.
  if (code === 127) {
    say('Electron does not run here: starting without a window.')
    return false
  }
  process.exitCode = code
  return true
}
