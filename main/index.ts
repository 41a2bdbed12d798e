import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, type BrowserWindow, dialog, ipcMain, utilityProcess } from 'electron'
import { LOOM_VERSION } from '../shared/contract/version.ts'
import { builtFile } from '../shared/engine/host/app-paths.ts'
import { readEnv, toConfig } from './config.ts'
import { makePrivateFolder } from '../shared/engine/host/data-folder.ts'
import { readEndpoint } from './endpoint.ts'
import { firstTokenLines } from './first-token.ts'
import { superviseEngine, type EngineSupervisor } from './engine-supervisor.ts'
import { createLogger } from '../shared/engine/host/logger.ts'
import { systemKeyStore } from './key-store.ts'
import { setMenu } from './menu.ts'
import { startAtLogin } from './start-at-login.ts'
import { guardSession, openWindow, registerScheme } from './window.ts'
import { isOwnFrame, refusal, toWindowCall } from './window-guard.ts'

const logger = createLogger('loom-window')
let window: BrowserWindow | null = null
let engine: EngineSupervisor | null = null

/**
 * The window's process: shows the page, passes its calls to the engine process, and holds nothing itself. This is the
 * part before Electron is ready, which waits until it has ended. Null: another instance has the folder's window.
 */
async function prepare(): Promise<string | null> {
  app.setName('Loom')
  app.setAboutPanelOptions({ applicationName: 'Loom', applicationVersion: LOOM_VERSION })
  registerScheme()
  const { home } = toConfig(readEnv()).desktop
  await makePrivateFolder(home)
  // Chromium's own files; they also make the single instance one per data folder.
  app.setPath('userData', join(home, 'window'))
  if (app.requestSingleInstanceLock()) return home
  const url = (await readEndpoint(home))?.url
  process.stdout.write(`Loom is already running${url ? ` at ${url}` : ''}\n`)
  app.quit()
  return null
}

async function open(home: string): Promise<void> {
  app.on('second-instance', () => show(home))
  app.on('activate', () => show(home))
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('before-quit', (event) => {
    if (!engine) return
    event.preventDefault()
    const ending = engine
    engine = null
    void ending.close().finally(() => app.quit())
  })
  answerWindow()
  await app.whenReady()
  engine = startEngine(home)
  guardSession()
  setMenu()
  show(home)
}

function startEngine(home: string): EngineSupervisor {
  let said = ''
  const tell = (event: unknown) => window?.webContents.send('loom:event', event)
  const supervisor = superviseEngine({
    home,
    token: toConfig(readEnv()).client.apiKey,
    fork: () => utilityProcess.fork(fileURLToPath(builtFile('engine-process.js')), [], { serviceName: 'Loom engine', stdio: 'inherit' }),
    keyStore: systemKeyStore,
    onEvent(event) {
      tell(event)
      if (event.type === 'settings.changed' && event.keys.includes('ui.start_at_login')) void followLogin(supervisor)
    },
    onReady: (url, own, firstToken) => {
      const line = own ? `Loom is running at ${url}` : `Loom is already running at ${url}`
      if (line !== said) process.stdout.write(`${line}\n`)
      if (firstToken !== null) process.stdout.write(firstTokenLines(firstToken))
      said = line
      tell({ type: 'engine.state', degraded: [] })
      // It may have been changed while no window was open.
      void followLogin(supervisor)
    },
    onDown: (reason) => {
      logger.error({ reason }, 'the engine is down')
      tell({ type: 'engine.state', degraded: ['engine'] })
    },
  })
  return supervisor
}

/** Brings what the system starts at log-in in line with the setting. */
async function followLogin(supervisor: EngineSupervisor): Promise<void> {
  const reply = await supervisor.call({ op: 'settings.get', input: { keys: ['ui.start_at_login'] }, meta: {} })
  if (!reply.ok) return
  const { settings } = reply.value as unknown as { settings: { value: unknown }[] }
  await startAtLogin(settings[0]?.value === true, readEnv()['APPIMAGE']).catch((error: unknown) =>
    logger.warn({ err: error }, 'start at log-in could not be changed'),
  )
}

/** The one channel of the page. Whoever else calls it is refused. */
function answerWindow(): void {
  ipcMain.handle('loom:call', async (event, op: unknown, input: unknown, meta: unknown) => {
    const call = toWindowCall(op, input, meta)
    if (!window || event.sender !== window.webContents || !isOwnFrame(event.senderFrame, event.sender.mainFrame)) {
      logger.warn({ url: event.senderFrame?.url }, 'a frame that is not ours called')
      return { ok: false, error: refusal('Only the page of the window may call the engine.') }
    }
    if (!call || !engine) return { ok: false, error: refusal('That is not a call.') }
    return await engine.call(call)
  })
}

function show(home: string): void {
  if (!app.isReady()) return
  if (!window) {
    window = openWindow(home)
    window.once('closed', () => (window = null))
    return
  }
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

async function fail(error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error)
  logger.fatal({ err: error }, 'Loom could not start')
  process.stderr.write(`${message}\n`)
  // Started from an icon nobody sees stderr; started from a terminal nobody wants a box.
  if (app.isPackaged) {
    await app.whenReady()
    dialog.showErrorBox('Loom could not start', message)
  }
  app.exit(1)
}

// Electron is ready only once this module has been loaded: nothing here may wait for that.
try {
  const home = await prepare()
  if (home !== null) open(home).catch(fail)
} catch (error) {
  void fail(error)
}
