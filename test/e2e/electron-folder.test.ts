import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElectronApplication, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lookAtProcess } from '../../shared/engine/host/process-start.ts'
import { cleanEnv, type Headless, post, scratchHome, startHeadless } from '../helpers/headless.ts'
import { electron, needs } from '../helpers/requirements.ts'
import { call, endpoint, launch, ready } from './electron-window.ts'

let home: string
let drop: () => Promise<void>
let app: ElectronApplication
let page: Page

const start = async (): Promise<void> => void ({ app, page } = await launch(home))
const isRunning = async (pid: number): Promise<boolean> => (await lookAtProcess(pid)).state === 'running'

describe('the window and its folder', { timeout: 120_000, ...needs(electron()) }, () => {
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
    expect(performance.now() - from).toBeLessThan(5000)
    // Electron tells of the end of a process a moment before the system does.
    await expect.poll(() => isRunning(pid), { timeout: 3000 }).toBe(false)
    for (const name of ['loom.lock', 'endpoint.json']) await expect(readFile(join(home, name))).rejects.toThrow('ENOENT')
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
    expect(await call(page, 'memory.get', { memory_key: 'shared' })).toMatchObject({ ok: true, value: { found: true } })
    expect((await endpoint(home)).pid).toBe(headless.child.pid)
    await headless.stop()
    await expect
      .poll(async () => (await call(page, 'memory.get', { memory_key: 'shared' })).value?.['found'], { timeout: 30_000 })
      .toBe(true)
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
    expect(performance.now() - from).toBeLessThan(5000)
    // Electron tells of the end of a process a moment before the system does.
    await expect.poll(() => isRunning(pid), { timeout: 3000 }).toBe(false)
    for (const name of ['loom.lock', 'endpoint.json']) await expect(readFile(join(home, name))).rejects.toThrow('ENOENT')
  })

  test('when the app is killed its engine does not stay behind', async () => {
    await start()
    await ready(page)
    const { pid } = await endpoint(home)
    app.process().kill('SIGKILL')
    await expect.poll(() => isRunning(pid), { timeout: 8000 }).toBe(false)
    await start()
    expect(await call(page, 'engine.info')).toMatchObject({ ok: true })
  })

  test('a broken window.json does not stop it', async () => {
    await start()
    await app.close()
    await writeFile(join(home, 'window.json'), '{"bounds":')
    await start()
    expect(page.url()).toBe('app://loom/')
  })
})
