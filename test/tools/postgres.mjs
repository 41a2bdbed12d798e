/**
 * A real Postgres 17 with pgvector for tests, from Debian 13's packages in a folder of its own: Debian 12 has no
 * pgvector. It runs from there as an unprivileged user, on loopback, on data that is thrown away.
 *
 *     node test/tools/postgres.mjs provision   make the folder once (root, debootstrap; about a minute)
 *     node test/tools/postgres.mjs start       start one, print LOOM_TEST_DATABASE_URL=…
 *     node test/tools/postgres.mjs stop        end it
 *
 * `npm test` starts and ends one of its own. LOOM_TEST_DATABASE_URL names another to use instead.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cacheFolder } from './cache.mjs'

const place = cacheFolder('pg17')
const bin = '/usr/lib/postgresql/17/bin'
const data = '/var/lib/postgresql/loom'

/**
 * Runs a program of the folder, in the folder, as its user postgres.
 * @param {string} program
 * @param {readonly string[]} args
 */
function inside(program, args) {
  // pg_ctl leaves a server behind that would keep a pipe open for ever: what it says goes to a file.
  const run = spawnSync('chroot', ['--userspec=postgres:postgres', place, `${bin}/${program}`, ...args], {
    encoding: 'utf8',
    stdio: program === 'pg_ctl' ? 'ignore' : 'pipe',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
  })
  if (run.status !== 0) throw new Error(`${program} failed (${run.status ?? run.error}): ${run.stderr ?? ''}`)
}

/**
 * Why there can be no such Postgres here, or an empty text.
 * @returns {string}
 */
function obstacle() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'no Postgres with pgvector: set LOOM_TEST_DATABASE_URL (a user that may create databases), or run as root on Linux'
  if (!existsSync(place)) return 'no Postgres with pgvector: node test/tools/postgres.mjs provision, or set LOOM_TEST_DATABASE_URL'
  return ''
}

/** Makes the folder; does nothing where it is there. */
export function provision() {
  if (existsSync(place)) return
  const partial = `${place}.partial-${process.pid}`
  try {
    const packages = '--include=postgresql-17,postgresql-17-pgvector'
    const run = spawnSync('debootstrap', ['--variant=minbase', packages, 'trixie', partial], { stdio: ['ignore', 2, 2] })
    if (run.status !== 0) throw new Error(`debootstrap failed (${run.status ?? run.error})`)
    // Two makers at once: the first to get here wins.
    if (!existsSync(place)) renameSync(partial, place)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

/**
 * @param {string} run folder of one server's data, as seen inside
 * @returns {Promise<string>} its address
 */
async function startIn(run) {
  sweep()
  mkdirSync(join(place, data), { recursive: true })
  spawnSync('chroot', [place, 'chown', 'postgres:postgres', data])
  inside('initdb', ['-D', run, '-U', 'loom', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'])
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '64MB',
    dynamic_shared_memory_type: 'mmap',
    // Its data never outlives a test run.
    fsync: 'off',
    full_page_writes: 'off',
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`)
  inside('pg_ctl', ['start', '-w', '-s', '-D', run, '-l', `${run}/server.log`, '-o', options.join(' ')])
  return `postgres://loom@127.0.0.1:${port}/postgres`
}

/** @param {string} run */
function stopIn(run) {
  try {
    if (existsSync(join(place, run, 'postmaster.pid'))) inside('pg_ctl', ['stop', '-m', 'immediate', '-s', '-D', run])
  } catch {
    // A server that the machine took down with it left its pid: there is none to stop.
  }
  rmSync(join(place, run), { recursive: true, force: true })
}

/** Ends servers whose test run was killed. */
function sweep() {
  for (const name of existsSync(join(place, data)) ? readdirSync(join(place, data)) : []) {
    const owner = Number(/^run-(\d+)$/.exec(name)?.[1])
    if (owner && !existsSync(`/proc/${owner}`)) stopIn(`${data}/${name}`)
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/**
 * A Postgres for one test run: the one that LOOM_TEST_DATABASE_URL names, or one of our own until `stop`.
 * @returns {Promise<{ url: string | null, reason: string, stop: () => Promise<void> }>}
 */
export async function startPostgres() {
  const given = process.env.LOOM_TEST_DATABASE_URL
  if (given) return { url: given, reason: '', stop: async () => {} }
  const reason = obstacle()
  if (reason) return { url: null, reason, stop: async () => {} }
  const run = `${data}/run-${process.pid}`
  try {
    return { url: await startIn(run), reason: '', stop: async () => stopIn(run) }
  } catch (error) {
    return { url: null, reason: `Postgres did not start: ${String(error)}`, stop: async () => stopIn(run) }
  }
}

/** @param {string | undefined} command */
async function main(command) {
  const run = `${data}/shared`
  const note = join(place, run, 'address')
  if (command === 'provision') {
    provision()
    console.error(`Postgres 17 with pgvector is in ${place}`)
  } else if (command === 'start') {
    const reason = obstacle()
    if (reason) throw new Error(reason)
    if (!existsSync(note)) {
      stopIn(run)
      writeFileSync(note, await startIn(run))
    }
    console.log(`LOOM_TEST_DATABASE_URL=${readFileSync(note, 'utf8')}`)
  } else if (command === 'stop') {
    stopIn(run)
  } else {
    throw new Error('usage: node test/tools/postgres.mjs provision|start|stop')
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  main(process.argv[2]).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
