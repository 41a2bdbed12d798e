import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, type BrowserWindow, dialog, ipcMain, type IpcMainInvokeEvent, utilityProcess } from 'electron'
import type { LinkEvent } from '../shared/client/link.ts'
import { isShellCall, type ShellEvent } from '../shared/contract/shell-calls.ts'
import { LOOM_VERSION } from '../shared/contract/version.ts'
import type { CallTold } from '../shared/contract/window-calls.ts'
import { builtFile } from '../shared/engine/host/app-paths.ts'
import { commandWords, runCommandLine } from './command-line.ts'
import { readEnv, toConfig } from './config.ts'
import { makePrivateFolder } from '../shared/engine/host/data-folder.ts'
import { forgetFault } from '../shared/engine/recovery/note.ts'
import { readEndpoint } from './endpoint.ts'
import { firstTokenLines } from './first-token.ts'
import { superviseEngine, whoRuns, type EngineSupervisor } from './engine-supervisor.ts'
import { createLogger } from '../shared/engine/host/logger.ts'
import { systemKeyStore } from './key-store.ts'
import { setMenu } from './menu.ts'
import { createNative, NATIVE_KEYS, type Native, type NativeSettings } from './native.ts'
import { createRecovering } from './recover-window.ts'
import { answerShell, type ShellActs } from './shell-calls.ts'
import { startAtLogin } from './start-at-login.ts'
import { guardSession, openWindow, registerScheme } from './window.ts'
import { isOwnFrame, refusal, toWindowCall } from './window-guard.ts'

const logger = createLogger('loom-window')
let window: BrowserWindow | null = null
let engine: EngineSupervisor | null = null
let native: Native | null = null

/**
 * The window's process: shows the pages, passes their calls to the engine process, and holds nothing itself. This is the
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
  // The small window is there even while nothing is seen of it: the main one decides.
  app.on('window-all-closed', () => leave())
  let isEnding = false
  app.on('before-quit', (event) => {
    // The small window's end asks for the app's a second time.
    if (isEnding) event.preventDefault()
    if (!engine) return
    event.preventDefault()
    const ending = engine
    engine = null
    isEnding = true
    native?.close()
    void ending.close().finally(() => {
      isEnding = false
      app.quit()
    })
  })
  // The engine has the longest way to go: nothing that the window needs stands before its start.
  const running = whoRuns(home)
  await app.whenReady()
  const supervisor = startEngine(home, (await running).state === 'none')
  engine = supervisor
  native = createNative({
    home,
    call: (call) => supervisor.call(call),
    showMain: (place) => show(home, place && `/${['', ...place].map(encodeURIComponent).join('/')}`),
    isMainFocused: () => window?.isFocused() === true,
    onState: () => tell({ type: 'shell.state' }),
    onTrayFault: (error) => logger.warn({ err: error }, 'the system has no tray for Loom'),
  })
  answerPages(shellActs(home, supervisor, native))
  guardSession()
  setMenu({ write: () => native?.quick.show('write'), search: () => native?.quick.show('search'), go: (place) => show(home, place) })
  show(home)
}

/** Told to every page of ours. */
function tell(event: LinkEvent | ShellEvent | CallTold): void {
  for (const contents of [window?.webContents, native?.quick.contents()]) contents?.send('loom:event', event)
}

function startEngine(home: string, isFree: boolean): EngineSupervisor {
  let said = ''
  const supervisor = superviseEngine({
    home,
    isFree,
    token: toConfig(readEnv()).client.apiKey,
    fork: () => utilityProcess.fork(fileURLToPath(builtFile('engine-process.js')), [], { serviceName: 'Loom engine', stdio: 'inherit' }),
    keyStore: systemKeyStore,
    onEvent(event) {
      tell(event)
      if (event.type === 'settings.changed' && event.keys.some((key) => key.startsWith('ui.'))) void followSettings(supervisor)
    },
    onReady: (url, own, firstToken) => {
      const line = own ? `Loom is running at ${url}` : `Loom is already running at ${url}`
      if (line !== said) process.stdout.write(`${line}\n`)
      if (firstToken !== null) process.stdout.write(firstTokenLines(firstToken))
      said = line
      tell({ type: 'engine.state', degraded: [] })
      tell({ type: 'shell.state' })
      // They may have been changed while no window was open.
      void followSettings(supervisor)
    },
    onStuck: () => tell({ type: 'shell.state' }),
    onDown: (reason) => {
      logger.error({ reason }, 'the engine is down')
      tell({ type: 'engine.state', degraded: ['engine'] })
    },
  })
  return supervisor
}

/** Brings what the system does for Loom in line with the settings: its start at log-in, keys, tray, notifications. */
async function followSettings(supervisor: EngineSupervisor): Promise<void> {
  const keys = ['ui.start_at_login', ...NATIVE_KEYS]
  const reply = await supervisor.call({ op: 'settings.get', input: { keys }, meta: {} })
  if (!reply.ok || !engine) return
  const { settings } = reply.value as unknown as { settings: { key: string; value: unknown }[] }
  const values = Object.fromEntries(settings.map(({ key, value }) => [key, value]))
  native?.follow(values as unknown as NativeSettings)
  await startAtLogin(values['ui.start_at_login'] === true, readEnv()['APPIMAGE']).catch((error: unknown) =>
    logger.warn({ err: error }, 'start at log-in could not be changed'),
  )
}

function shellActs(home: string, supervisor: EngineSupervisor, parts: Native): ShellActs {
  const recovering = createRecovering({
    view: () => supervisor.recovery,
    window: () => window,
    fork: (choice) =>
      utilityProcess.fork(fileURLToPath(builtFile('recovery-process.js')), [JSON.stringify(choice)], {
        serviceName: 'Loom recovery',
        stdio: 'inherit',
      }),
    async restart(forget) {
      if (forget) await forgetFault(join(home, 'db'))
      await supervisor.restart()
    },
  })
  return {
    'shell.state': () => ({ recovery: supervisor.recovery, ...parts.state() }),
    'shell.close': () => {
      parts.quick.hide()
      return {}
    },
    'shell.open': ({ route }) => {
      parts.quick.hide()
      show(home, route)
      return {}
    },
    'shell.standing': ({ words }) => {
      parts.stand(words)
      return {}
    },
    'shell.recover': recovering,
  }
}

/** The one channel of the pages. Whoever else calls it is refused. */
function answerPages(acts: ShellActs): void {
  ipcMain.handle('loom:call', async (event, op: unknown, input: unknown, meta: unknown) => {
    const call = toWindowCall(op, input, meta)
    if (!isOwnPage(event)) {
      logger.warn({ url: event.senderFrame?.url }, 'a frame that is not ours called')
      return { ok: false, error: refusal('Only the page of the window may call the engine.') }
    }
    if (!call || !engine) return { ok: false, error: refusal('That is not a call.') }
    if (isShellCall(call.op)) return await answerShell(acts, call.op, call.input)
    return await engine.call(call)
  })
}

function isOwnPage({ sender, senderFrame }: IpcMainInvokeEvent): boolean {
  const isOurs = sender === window?.webContents || native?.isQuick(sender) === true
  return isOurs && isOwnFrame(senderFrame, sender.mainFrame)
}

/** The main window is closed: Loom goes on where the person wanted that, or as every app of a Mac does. */
function leave(): void {
  if (!native?.staysRunning) app.quit()
}

/** Shows the main window, at a place if one is named: the part of its address behind `#`. */
function show(home: string, route?: string): void {
  if (!app.isReady()) return
  if (!window) {
    window = openWindow(home, route)
    window.once('closed', () => {
      window = null
      leave()
    })
    return
  }
  if (route !== undefined) window.webContents.send('loom:event', { type: 'shell.go', route } satisfies ShellEvent)
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
  const words = commandWords(process.argv, app.isPackaged)
  if (words !== null) await runCommandLine(words)
  const home = words === null ? await prepare() : null
  if (home !== null) open(home).catch(fail)
} catch (error) {
  void fail(error)
}
