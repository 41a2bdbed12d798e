import { join } from 'node:path'
import type { ElectronApplication, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanEnv, post, runBuilt, scratchHome } from '../helpers/headless.ts'
import { electron, needs } from '../helpers/requirements.ts'
import { call, endpoint, launch, mainWindows, ready, root, type Bridge, type Reply } from './electron-window.ts'
import { eventually } from './eventually.ts'

declare global {
  interface Window {
    seen?: unknown[]
  }
}

let home: string
let drop: () => Promise<void>
let app: ElectronApplication
let page: Page
let said: () => string

describe('the window', needs(electron()), () => {
  beforeAll(async () => {
    ;({ home, drop } = await scratchHome())
    ;({ app, page, said } = await launch(home))
    await ready(page)
  }, 120_000)
  afterAll(async () => {
    await app.close()
    await drop()
  })

  test('opens with the interface, and the engine in a process of its own', async () => {
    expect(page.url()).toBe('app://loom/')
    await page.waitForSelector('#root > *')
    const reply = await call(page, 'engine.info')
    expect(reply).toMatchObject({ ok: true, value: { host: 'desktop', mode: 'single', storage: { kind: 'pglite', durable: true } } })
    expect((await endpoint(home)).pid).not.toBe(app.process().pid)
    await eventually(said).toContain(`Loom is running at ${(await endpoint(home)).url}\n`)
  })

  test('writes and reads over its one channel, versions as bigint', async () => {
    const written = await page.evaluate(async () => {
      const { loom } = window as unknown as { loom: Bridge }
      const reply = await loom.call('memory.set', {
        memory_key: 'window/first',
        value: { text: 'The cat is called Miso.', serial: 18446744073709551615n },
      })
      const got = await loom.call('memory.get', { memory_key: 'window/first' })
      const version = got.value?.['version']
      return {
        ok: reply.ok,
        kind: typeof version,
        same: String(version) === got.value?.['version_text'],
        serial: String((got.value?.['value'] as { serial: unknown } | undefined)?.serial),
      }
    })
    expect(written).toEqual({ ok: true, kind: 'bigint', same: true, serial: '18446744073709551615' })
    const { body } = await post((await endpoint(home)).url, 'memory.get', { memory_key: 'window/first' })
    expect(body).toMatchObject({ found: true })
  })

  test('is told of what others write', async () => {
    await page.evaluate(() => {
      window.seen = []
      ;(window as unknown as { loom: Bridge }).loom.listen((event) => window.seen?.push(event))
    })
    await post((await endpoint(home)).url, 'memory.set', { memory_key: 'window/told', value: 'The dog is called Udon.' })
    await eventually(() => page.evaluate(() => window.seen)).toContainEqual(
      expect.objectContaining({ type: 'memory.changed', memory_key: 'window/told' }),
    )
  })

  test('a person writes a memory by keyboard, and finds it in the list', async () => {
    await page.locator('body').press('n')
    await page.getByLabel('The claim').fill('The attic window sticks in winter.')
    await page.locator('#write-key').fill('house/attic/window')
    await page.getByRole('button', { name: /^Save/ }).first().waitFor()
    await page.locator('#write-key').press('Control+Enter')
    await eventually(async () => (await call(page, 'memory.get', { memory_key: 'house/attic/window' })).value?.['value']).toBe(
      'The attic window sticks in winter.',
    )
    await page.getByText('The attic window sticks in winter.').first().waitFor()
  })

  test('its own policy refuses nothing that the page needs', async () => {
    const complaints: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.reload()
    await page.waitForSelector('#root > *')
    await page.getByText('The attic window sticks in winter.').first().waitFor()
    expect(complaints).toEqual([])
    page.removeAllListeners('console')
    page.removeAllListeners('pageerror')
  })

  test('an error is a value with its code', async () => {
    expect(await call(page, 'memory.sett', {})).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_OPERATION', did_you_mean: 'memory.set' },
    })
    expect(await call(page, 'memory.set', { memory_key: 'x' })).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT' } })
  })

  test('is sandboxed: no Node, no Electron, only the bridge', async () => {
    // The small window is made a while after the start.
    const preferences = () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().map(({ webContents }) =>
          (webContents as unknown as { getLastWebPreferences(): Record<string, unknown> }).getLastWebPreferences(),
        ),
      )
    await eventually(async () => (await preferences()).length).toBe(2)
    for (const each of await preferences())
      expect(each).toMatchObject({
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInSubFrames: false,
        webviewTag: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        experimentalFeatures: false,
      })
    const policy = await page.evaluate(async () => (await fetch('/')).headers.get('content-security-policy') ?? '')
    expect(policy).toContain("default-src 'self'")
    expect(policy).not.toMatch(/unsafe|data:|https?:|\*/)
    const seen = await page.evaluate(() => ({
      require: typeof (globalThis as Record<string, unknown>)['require'],
      process: typeof (globalThis as Record<string, unknown>)['process'],
      bridge: Object.keys((window as unknown as { loom: object }).loom).sort(),
    }))
    expect(seen).toEqual({ require: 'undefined', process: 'undefined', bridge: ['call', 'listen'] })
  })

  test('keeps its page: no navigation, no other window, no frame of others, no script of others, no network', async () => {
    await page.evaluate(() => {
      location.href = 'https://example.com/'
    })
    await page.evaluate(() => {
      location.href = 'data:text/html,gone'
    })
    expect(await page.evaluate(() => window.open('https://example.com/') === null)).toBe(true)
    await page.evaluate(() => {
      const frame = document.createElement('iframe')
      frame.src = 'https://example.com/'
      document.body.append(frame)
      const link = Object.assign(document.createElement('a'), { href: 'https://example.com/', target: '_blank' })
      document.body.append(link)
      link.click()
    })
    const refused = await page.evaluate(async () => {
      const tried = async (work: () => unknown) => {
        try {
          await work()
          return false
        } catch {
          return true
        }
      }
      return {
        script: await tried(() => {
          const script = document.createElement('script')
          script.textContent = 'window.injected = true'
          document.body.append(script)
          if (!(window as unknown as { injected?: boolean }).injected) throw new Error('it did not run')
        }),
        network: await tried(() => fetch('https://example.com/')),
        loopback: await tried(() => fetch('http://127.0.0.1:1/')),
        files: await tried(() => fetch('file:///etc/passwd')),
        filesAbove: await tried(async () => {
          if (!(await (await fetch('/..%2f..%2fpackage.json')).text()).includes('dependencies')) throw new Error('not the file')
        }),
      }
    })
    expect(refused).toEqual({ script: true, network: true, loopback: true, files: true, filesAbove: true })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(page.url()).toMatch(/^app:\/\/loom\//)
    expect(mainWindows(app)).toHaveLength(1)
    expect(page.frames().every((frame) => !frame.url().includes('example.com'))).toBe(true)
  })

  test('is denied whatever it asks of the system', async () => {
    const states = await page.evaluate(async () => {
      const ask = async (name: string) => (await navigator.permissions.query({ name: name as PermissionName })).state
      const camera = await navigator.mediaDevices?.getUserMedia({ audio: true }).then(
        () => 'given',
        () => 'denied',
      )
      return [
        await ask('geolocation'),
        await ask('notifications'),
        await ask('clipboard-read'),
        camera ?? 'denied',
        await Notification.requestPermission(),
      ]
    })
    expect(states).toEqual(['denied', 'denied', 'denied', 'denied', 'denied'])
  })

  test('a page or a frame that is not ours is refused by the channel', async () => {
    const foreign = await app.evaluate(
      async ({ BrowserWindow }, preload) => {
        const load = async (url: string) => {
          const window = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true, contextIsolation: true } })
          await window.loadURL(url)
          const reply = (await window.webContents.executeJavaScript(`loom.call('engine.info', {})`)) as Reply
          window.destroy()
          return reply
        }
        return [await load('data:text/html,<p>foreign</p>'), await load('app://loom/')]
      },
      join(root, 'out/preload/preload.cjs'),
    )
    for (const reply of foreign) expect(reply).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } })

    // A child frame of our own page, given the preload's reach for the sake of the test.
    const frame = await app.evaluate(async ({ BrowserWindow, ipcMain }) => {
      const [window] = BrowserWindow.getAllWindows()
      const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => Promise<Reply>> })._invokeHandlers
      const sender = window?.webContents
      const child = { url: 'app://loom/', parent: sender?.mainFrame }
      return await handlers.get('loom:call')?.({ sender, senderFrame: child }, 'engine.info', {})
    })
    expect(frame).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } })
  })

  test('there are two channels and no third', async () => {
    const channels = await app.evaluate(({ ipcMain }) => [
      ...(ipcMain as unknown as { _invokeHandlers: Map<string, unknown> })._invokeHandlers.keys(),
      ...ipcMain.eventNames().map(String),
    ])
    // Electron itself listens for `error`, so that a channel of that name cannot throw.
    expect(channels.filter((name) => name !== 'error')).toEqual(['loom:call'])
  })

  test('a second start points at the first and ends', async () => {
    const { path, args, env } = electron()
    const { spawn } = await import('node:child_process')
    const second = spawn(path, [...args, root], { env: { ...cleanEnv({ LOOM_HOME: home }), ...env }, stdio: ['ignore', 'pipe', 'ignore'] })
    let out = ''
    second.stdout.on('data', (data: Buffer) => (out += data))
    expect(await new Promise((resolve) => second.once('close', resolve))).toBe(0)
    expect(out).toBe(`Loom is already running at ${(await endpoint(home)).url}\n`)
    expect(mainWindows(app)).toHaveLength(1)
    const headless = await runBuilt('headless.js', [], cleanEnv({ LOOM_HOME: home }))
    expect(headless.stdout).toContain(`already running at ${(await endpoint(home)).url}`)
  })

  test('a killed engine is started again: calls wait, the window is told and never stalls', async () => {
    const before = await endpoint(home)
    await page.evaluate(() => {
      window.seen = []
      ;(window as unknown as { loom: Bridge }).loom.listen((event) => window.seen?.push(event))
    })
    process.kill(before.pid, 'SIGKILL')
    const reply = await call(page, 'memory.get', { memory_key: 'window/first' })
    if (!reply.ok) expect(reply.error?.code).toBe('UNAVAILABLE')
    await eventually(async () => (await call(page, 'memory.get', { memory_key: 'window/first' })).value?.['found']).toBe(true)
    expect((await endpoint(home)).pid).not.toBe(before.pid)
    await eventually(() => page.evaluate(() => window.seen)).toContainEqual({ type: 'engine.state', degraded: ['engine'] })
    expect(await page.evaluate(() => 1 + 1)).toBe(2)
  })
})
