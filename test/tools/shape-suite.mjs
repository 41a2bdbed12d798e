/**
 * Runs the published test suites of `@electric-sql/client` against our shape endpoint. They are not part of this
 * repository: take the folder `packages/typescript-client` of github.com/electric-sql/electric (Apache-2.0).
 *
 *     node test/tools/shape-suite.mjs <that folder> [names of tests]
 *
 * Of 148 tests 92 passed with the client of 2026-08-21 (1.5.26). What cannot: 45 of `log=changes_only` and subset snapshots, 2 of
 * `replica=full`, 4 of the words in which Electric refuses a `where`, and 1 of answers that caches may keep: our server refuses the
 * one and never allows the other. 3 count every step between two states of a row, where our logs tell states; 1 depends on how fast
 * the client is.
 *
 * It needs a Postgres of its own (as test/tools/postgres.mjs finds one) and the network: what the suites import and Loom
 * does not have is put into a temporary folder beside a copy of them.
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { build } from 'vite'
import { startPostgres } from './postgres.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [client, ...names] = process.argv.slice(2)
if (!client) {
  process.stderr.write('usage: node test/tools/shape-suite.mjs <folder of the client> [names of tests]\n')
  process.exit(2)
}

const postgres = await startPostgres()
if (!postgres.url) throw new Error(postgres.reason)
const address = new URL(postgres.url)
const folder = mkdtempSync(join(tmpdir(), 'loom-shape-suite-'))
const out = join(root, 'node_modules/.cache/loom', `shape-suite-${process.pid}`)
let status = 1
/** @type {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, null> | undefined} */
let server
try {
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  await admin.query('DROP DATABASE IF EXISTS electric WITH (FORCE)')
  await admin.query('CREATE DATABASE electric')
  await admin.end()
  address.pathname = '/electric'

  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: { ssr: join(root, 'test/tools/fixtures/shape-suite-server.ts'), outDir: out, emptyOutDir: true, target: 'node20' },
  })
  const started = spawn(process.execPath, [join(out, 'shape-suite-server.js')], {
    env: { ...process.env, DATABASE_URL: address.href },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  server = started
  const url = await new Promise((resolve, reject) => {
    started.stdout.once('data', (data) => resolve(String(data).trim()))
    started.once('exit', () => reject(new Error('the server did not start')))
  })

  cpSync(join(client, 'src'), join(folder, 'src'), { recursive: true })
  cpSync(join(client, 'test'), join(folder, 'test'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const needed = [
    'vitest@4.1.12',
    'vite@8.3.8',
    'vitest-localstorage-mock@0.1.2',
    'cache-control-parser@2.0.6',
    '@microsoft/fetch-event-source@2.0.1',
  ]
  const npm = spawnSync('npm', ['i', '--no-audit', '--no-fund', '--legacy-peer-deps', ...needed], { cwd: folder, stdio: ['ignore', 2, 2] })
  if (npm.status !== 0) throw new Error('the packages of the suites could not be had')
  for (const name of ['pg', 'uuid', 'fast-check']) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const helpers = join(folder, 'test/support/test-helpers.ts')
  const said = readFileSync(helpers, 'utf8')
  const own = `host: '${address.hostname}', port: ${address.port}, password: '${address.password}', user: '${address.username}', database: 'electric',`
  writeFileSync(
    helpers,
    said.replace(/host: `localhost`,\s*port: 54321,\s*password: `password`,\s*user: `postgres`,\s*database: `electric`,/, own),
  )
  // The published client bundles this library with a patch of its own, without which it reads no events outside a browser.
  for (const kind of ['esm', 'cjs']) {
    const events = join(folder, 'node_modules/@microsoft/fetch-event-source/lib', kind, 'fetch.js')
    const browser = readFileSync(events, 'utf8')
    writeFileSync(events, browser.replaceAll('window.', 'globalThis.').replaceAll('document.', 'globalThis.document?.'))
  }
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { globalSetup: 'test/support/global-setup.ts', setupFiles: ['vitest-localstorage-mock'], fileParallelism: false,
      testTimeout: 30000, include: ['test/client.test.ts', 'test/integration.test.ts'] } }\n`,
  )
  const filter = names.length > 0 ? ['-t', names.join('|')] : []
  const run = spawnSync(process.execPath, [join(folder, 'node_modules/vitest/vitest.mjs'), 'run', ...filter], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, ELECTRIC_URL: url },
  })
  status = run.status ?? 1
} finally {
  server?.kill('SIGTERM')
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
  rmSync(out, { recursive: true, force: true })
}
process.exitCode = status
