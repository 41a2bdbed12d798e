import { fileURLToPath } from 'node:url'
import { BrowserWindow, nativeTheme, protocol, screen, session } from 'electron'
import { staticAnswer } from '../shared/transport/static-files.ts'
import { builtFile, rendererFolder } from '../shared/engine/host/app-paths.ts'
import { APP_ORIGIN, APP_SCHEME, isOwnPage } from './window-guard.ts'
import { readWindowState, toTheme, visibleBounds, writeWindowState } from './window-state.ts'

const SAVE_AFTER_MS = 500
const REOPEN_AFTER_MS = 500
/** The grounds of the two themes: a window must not flash before its page is there. */
const GROUND = { light: '#faf9f7', dark: '#161614' }

/** Makes the page's scheme a proper origin. Has to run before the app is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } }])
}

/** Serves the built interface, and denies every page whatever it asks of the system. */
export function guardSession(): void {
  protocol.handle(APP_SCHEME, async (request) => {
    const { host, pathname } = new URL(request.url)
    const found = host === 'loom' && request.method === 'GET' ? await staticAnswer(rendererFolder(), decodeURIComponent(pathname)) : null
    return found ?? new Response(null, { status: 404 })
  })
  session.defaultSession.setPermissionRequestHandler((_contents, permission, decide) => decide(mayUse(permission)))
  session.defaultSession.setPermissionCheckHandler((_contents, permission) => mayUse(permission))
  session.defaultSession.setDevicePermissionHandler(() => false)
}

/** A page whose process died (out of memory, a crash) comes back by itself; its drafts are kept on disk. */
function reopenAfterCrash({ webContents }: BrowserWindow): void {
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    setTimeout(() => {
      if (!webContents.isDestroyed()) webContents.reload()
    }, REOPEN_AFTER_MS)
  })
}

/** Only what a copy button needs. */
function mayUse(permission: string): boolean {
  return permission === 'clipboard-sanitized-write'
}

/** The ground of the theme that the person chose. */
export function groundOf(home: string): string {
  const { theme } = readWindowState(home)
  return GROUND[theme === 'system' ? (nativeTheme.shouldUseDarkColors ? 'dark' : 'light') : theme]
}

/** Opens the window as it was left, at a place if one is named. The page is ours for good: it cannot navigate, open windows or embed others. */
export function openWindow(home: string, route = ''): BrowserWindow {
  const state = readWindowState(home)
  const bounds = visibleBounds(
    state.bounds,
    screen.getAllDisplays().map((display) => display.workArea),
  )
  const window = new BrowserWindow({
    ...(bounds ?? { width: 1240, height: 820 }),
    minWidth: 480,
    minHeight: 400,
    show: false,
    backgroundColor: groundOf(home),
    webPreferences: {
      preload: fileURLToPath(builtFile('../preload/preload.cjs')),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  })
  if (state.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  guardContents(window)
  reopenAfterCrash(window)
  remember(window, home)
  void window.loadURL(`${APP_ORIGIN}/${route && `#${route}`}`)
  return window
}

/** The page is ours for good, and nothing of others is in it. */
export function guardContents({ webContents }: BrowserWindow): void {
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
  webContents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame || !isOwnPage(event.url)) event.preventDefault()
  })
  webContents.on('will-redirect', (event) => event.preventDefault())
  webContents.on('will-attach-webview', (event) => event.preventDefault())
}

function remember(window: BrowserWindow, home: string): void {
  let timer: NodeJS.Timeout | undefined
  const save = () => {
    clearTimeout(timer)
    timer = undefined
    writeWindowState(home, { ...readWindowState(home), bounds: window.getNormalBounds(), maximized: window.isMaximized() })
  }
  const soon = () => (timer ??= setTimeout(save, SAVE_AFTER_MS))
  window.on('resize', soon)
  window.on('move', soon)
  window.on('maximize', soon)
  window.on('unmaximize', soon)
  window.once('close', save)
  // The page keeps the choice of theme; here it only decides the ground before there is a page.
  const noteTheme = async () => {
    const theme = toTheme(await window.webContents.executeJavaScript('document.documentElement.dataset.theme'))
    writeWindowState(home, { ...readWindowState(home), theme })
  }
  window.webContents.on('did-finish-load', () => void noteTheme().catch(() => {}))
  window.on('blur', () => void noteTheme().catch(() => {}))
}
