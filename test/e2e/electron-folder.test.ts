import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElectronApplication, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lookAtProcess } from '../../shared/engine/host/process-start.ts'
import { cleanEnv, type Headless, post, scratchHome, startHeadless } from '../helpers/headless.ts'
import { electron, needs } from '../helpers/requirements.ts'
import { call, endpoint, launch, ready } from './electron-window.ts'
import { eventually } from './eventually.ts'
import { mayBeForced } from './slowness.ts'

let home: string
let drop: () => Promise<void>
let app: ElectronApplication
let page: Page

const start = async (): Promise<void> => void ({ app, page } = await launch(home))
const isRunning = async (pid: number): Promise<boolean> => (await lookAtProcess(pid)).state === 'running'

/** The app ended within 5 s and left nothing behind. */
async function expectClosed(engine: number, took: number): Promise<void> {
  // Electron tells of the end of a process a moment before the system does.
  await eventually(() => isRunning(engine)).toBe(false)
  if (await mayBeForced(took)) return
  expect(took).toBeLessThan(5000)
  for (const name of ['loom.lock', 'endpoint.json']) await expect(readFile(join(home, name))).rejects.toThrow('ENOENT')
}

describe('the window and its folder', needs(electron()), () => {
  let headless: Headless | null = null
  beforeEach(async () => {
    ;({ home, drop } = await scratchHome())
  })
  afterEach(async () => {
    await app.close().catch(() => {})
    await headless?.stop('SIGKILL')
    headless = null
    await drop()
  })

  test('size and place are remembered, and quitting leaves neither lock nor process behind', async () => {
    await start()
    await ready(page)
    const { pid } = await endpoint(home)
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .find((one) => one.isResizable())
        ?.setBounds({ x: 40, y: 50, width: 900, height: 700 }),
    )
    const from = performance.now()
    await app.close()
    await expectClosed(pid, performance.now() - from)
    await start()
    const bounds = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .find((one) => one.isResizable())
        ?.getBounds(),
    )
    expect(bounds).toMatchObject({ width: 900, height: 700 })
  })

  test('beside a host that runs already it is a client of that host, and takes over when the host stops', async () => {
    headless = await startHeadless(cleanEnv({ LOOM_HOME: home }))
    await post(headless.url, 'memory.set', { memory_key: 'shared', value: 'The boiler is in the cellar.' })
    await start()
    await ready(page)
    expect(await call(page, 'memory.get', { memory_key: 'shared' })).toMatchObject({ ok: true, value: { found: true } })
    expect((await endpoint(home)).pid).toBe(headless.child.pid)
    await headless.stop()
    await eventually(async () => (await call(page, 'memory.get', { memory_key: 'shared' })).value?.['found']).toBe(true)
    expect((await endpoint(home)).pid).not.toBe(headless.child.pid)
  })

  test('a page that crashed comes back', async () => {
    await start()
    await ready(page)
    const back = await app.evaluate(async ({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows().find((one) => one.isResizable())?.webContents
      const loaded = new Promise<string>((resolve) => contents?.once('did-finish-load', () => resolve(contents.getURL())))
      contents?.forcefullyCrashRenderer()
      return await Promise.race([loaded, new Promise<string>((resolve) => setTimeout(() => resolve('never'), 20_000))])
    })
    expect(back).toBe('app://loom/')
    // Playwright takes the page for dead; the app is closed without it.
    app.process().kill()
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s closes window and engine cleanly within 5 s', async (signal) => {
    await start()
    await ready(page)
    const { pid } = await endpoint(home)
    const from = performance.now()
    const gone = new Promise((resolve) => app.process().once('exit', resolve))
    app.process().kill(signal)
    await gone
    await expectClosed(pid, performance.now() - from)
  })

  test('when the app is killed its engine does not stay behind', async () => {
    await start()
    await ready(page)
    const { pid } = await endpoint(home)
    app.process().kill('SIGKILL')
    await eventually(() => isRunning(pid)).toBe(false)
    await start()
    await ready(page)
  })

  test('a broken window.json does not stop it', async () => {
    await start()
    await app.close()
    await writeFile(join(home, 'window.json'), '{"bounds":')
    await start()
    expect(page.url()).toBe('app://loom/')
  })
})
