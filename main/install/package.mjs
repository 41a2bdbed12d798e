/**
 * `npm run package`: the app as a folder, in `dist`. `npm run package -- --installers` makes AppImage and deb, dmg, or
 * nsis, as the system is; their helpers are fetched where they can be had. Other arguments go to electron-builder.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './build.mjs'
import { ensureElectron } from './electron.mjs'
import { ensure, say } from './ensure.mjs'

/** An Electron for tests, unpacked where Electron's own cannot be fetched: to try the app with, and never to ship. */
const forTests = join(root, 'node_modules/.cache/loom/electron')

/** Folder of the Electron to pack; null: electron-builder is to fetch it. */
function distFolder() {
  if (ensureElectron()) return process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(root, 'node_modules/electron/dist')
  return existsSync(join(forTests, 'version')) ? forTests : null
}

/**
 * Packs `out/`.
 * @param {readonly string[]} args  of electron-builder
 * @param {{ output?: string, quiet?: boolean, dist?: string | null }} options
 * @returns {boolean} whether it went well
 */
export function packageApp(args, { output, quiet = false, dist = distFolder() } = {}) {
  if (dist === forTests && !quiet) say('Electron cannot be fetched here: packing the one for tests. Try this app; do not ship it.')
  const version = dist && readFileSync(join(dist, 'version'), 'utf8').trim().replace(/^v/, '')
  const builder = join(root, 'node_modules/electron-builder/cli.js')
  const config = [
    ...(dist ? [`-c.electronDist=${dist}`, `-c.electronVersion=${version}`] : []),
    ...(output ? [`-c.directories.output=${output}`] : []),
  ]
  const run = spawnSync(process.execPath, [builder, ...args, '--publish', 'never', ...config], {
    cwd: root,
    stdio: quiet ? ['ignore', 'ignore', 'inherit'] : 'inherit',
  })
  return run.status === 0
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensure({ build: true })
  const given = process.argv.slice(2)
  const args = given.includes('--installers') ? given.filter((arg) => arg !== '--installers') : ['--dir', ...given]
  if (!packageApp(args)) process.exitCode = 1
}
