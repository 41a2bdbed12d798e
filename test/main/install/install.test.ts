import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { electron, needs } from '../../helpers/requirements.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** What stands in for Loom in the small clone: the scripts under test are the real ones, what they build is not. */
const sources: Record<string, string> = {
  'electron.vite.config.ts': `
    import { defineConfig } from 'electron-vite'
    const input = { index: 'main/index.ts', headless: 'main/headless.ts', prepare: 'main/prepare.ts', cli: 'main/cli.ts', 'sync-server': 'main/server.ts' }
    export default defineConfig({ main: { build: { target: 'node20', rolldownOptions: { input, output: { entryFileNames: '[name].js' } } } },
      renderer: { root: 'renderer', build: { rolldownOptions: { input: 'renderer/index.html' } } } })`,
  'renderer/index.html': '<p>hello</p>',
  'main/headless.ts': `
    const stay = setInterval(() => {}, 1000)
    process.once('SIGTERM', () => { clearInterval(stay); process.stdout.write('closed\\n'); process.exitCode = 7 })
    process.stdout.write('running ' + process.argv.slice(2).join(' ') + '\\n')`,
  'main/index.ts': `
    import { app, BrowserWindow } from 'electron'
    app.on('window-all-closed', () => {})
    app.once('will-quit', () => { process.stdout.write('closed\\n'); app.exit(5) })
    void app.whenReady().then(() => {
      new BrowserWindow()
      process.stdout.write('window ' + process.argv.slice(-1) + '\\n')
    })`,
  'main/prepare.ts': `process.stderr.write('prepared\\n')`,
  'main/cli.ts': `process.stdout.write('cli ' + process.argv.slice(2).join(' ') + '\\n'); process.exitCode = 2`,
  'main/server.ts': `process.stdout.write('server\\n')`,
}

let clone = ''

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'loom-install-'))
  cpSync(join(root, 'main/install'), join(clone, 'main/install'), { recursive: true })
  cpSync(join(root, 'main/cli/loom.mjs'), join(clone, 'main/cli/loom.mjs'))
  cpSync(join(root, 'package.json'), join(clone, 'package.json'))
  for (const [file, text] of Object.entries(sources)) put(file, text)
  mkdirSync(join(clone, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '.cache') symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name))
})
afterEach(() => rmSync(clone, { recursive: true, force: true }))

function put(file: string, text: string): void {
  mkdirSync(dirname(join(clone, file)), { recursive: true })
  writeFileSync(join(clone, file), text)
}

interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Options {
  /** Sees stdout grow, and may end the program. */
  readonly onOutput?: (stdout: string, kill: () => void) => void
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a script of the clone, on a machine with no display unless `env` names one. */
function run(script: string, args: readonly string[] = [], { onOutput, env = {} }: Options = {}): Promise<Outcome> {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...rest } = process.env
  const child = spawn(process.execPath, [join(clone, script), ...args], { env: { ...rest, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stderr.on('data', (data) => (stderr += data))
  child.stdout.on('data', (data) => {
    stdout += data
    onOutput?.(stdout, () => child.kill('SIGTERM'))
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

const stopWhenRunning: Options = {
  onOutput: (stdout, kill) => {
    if (stdout.includes('\n') && !stdout.includes('closed')) kill()
  },
}

describe('npm start', () => {
  test('builds and prepares once, runs with no window where there is no display, passes signals and exit status', async () => {
    const first = await run('main/install/start.mjs', ['--port', '1'], stopWhenRunning)
    expect(first.stdout).toBe('running --port 1\nclosed\n')
    expect(first.code).toBe(7)
    expect(first.stderr).toMatch(/Building Loom…\n[^]*prepared\n[^]*No display here: starting without a window\.\n$/)

    const second = await run('main/install/start.mjs', ['--headless'], stopWhenRunning)
    expect(second.stdout).toBe('running \nclosed\n')
    expect(second.stderr).toBe('')
  })

  test('opens Electron where there is a display, passes signals and exit status', needs(electron()), async () => {
    const { path, env } = electron()
    const options = { ...stopWhenRunning, env: { ...env, ELECTRON_OVERRIDE_DIST_PATH: dirname(path) } }
    const { code, stdout } = await run('main/install/start.mjs', ['--here'], options)
    expect({ code, stdout }).toEqual({ code: 5, stdout: 'window --here\nclosed\n' })
  })

  test('runs with no window where Electron cannot be loaded, and says so', async () => {
    put('dist/electron', '#!/bin/sh\nexit 127\n')
    chmodSync(join(clone, 'dist/electron'), 0o755)
    const env = { DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: join(clone, 'dist') }
    const { code, stdout, stderr } = await run('main/install/start.mjs', [], { ...stopWhenRunning, env })
    expect({ code, stdout }).toEqual({ code: 7, stdout: 'running \nclosed\n' })
    expect(stderr).toContain('Electron does not run here: starting without a window.')
  })

  test('builds again when a source is newer, added or gone', async () => {
    const build = async (): Promise<boolean> => (await run('main/install/ensure.mjs', ['--build'])).stderr.includes('Building')
    expect(await build()).toBe(true)
    expect(await build()).toBe(false)
    put('main/headless.ts', 'export {}')
    expect(await build()).toBe(true)
    put('shared/one.ts', 'export {}')
    expect(await build()).toBe(true)
    rmSync(join(clone, 'shared/one.ts'))
    expect(await build()).toBe(true)
    expect(await build()).toBe(false)
  })

  test('a build that fails says why, ends with status 1 and leaves the last good one', async () => {
    await run('main/install/ensure.mjs', ['--build'])
    const good = readFileSync(join(clone, 'out/main/headless.js'), 'utf8')
    put('main/headless.ts', "import './nowhere.ts'")
    const { code, stderr } = await run('main/install/start.mjs', ['--headless'])
    expect(code).toBe(1)
    expect(stderr).toContain('nowhere.ts')
    expect(readFileSync(join(clone, 'out/main/headless.js'), 'utf8')).toBe(good)
    expect([...readdirSync(clone), ...readdirSync(join(clone, 'renderer'))].filter((name) => name.startsWith('out'))).toEqual(['out'])
    expect(existsSync(join(clone, 'out/renderer/index.html'))).toBe(true)
  })

  test('two at once build once', async () => {
    const both = await Promise.all([run('main/install/ensure.mjs', ['--build']), run('main/install/ensure.mjs', ['--build'])])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(both.filter(({ stderr }) => stderr.includes('Building'))).toHaveLength(1)
  })

  test('a lock left by a killed build is taken over', async () => {
    put('node_modules/.cache/loom/build.lock', '999999999')
    expect((await run('main/install/ensure.mjs', ['--build'])).code).toBe(0)
    expect(existsSync(join(clone, 'node_modules/.cache/loom/build.lock'))).toBe(false)
  })
})

test('npm run server prepares and runs the server', async () => {
  const { code, stdout } = await run('main/install/server.mjs')
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'server\n' })
})

describe('loom', () => {
  test('builds if need be, keeps stdout for the command, passes arguments and exit status', async () => {
    const { code, stdout, stderr } = await run('main/cli/loom.mjs', ['memory.search', '--query', 'x'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: 'cli memory.search --query x\n' })
    expect(stderr).toContain('Building Loom')
  })

  test('is executable, so that npx runs it', () => {
    expect(statSync(join(root, 'main/cli/loom.mjs')).mode & 0o111).not.toBe(0)
  })
})
