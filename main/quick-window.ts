import { fileURLToPath } from 'node:url'
import { BrowserWindow, screen, type WebContents } from 'electron'
import type { ShellEvent } from '../shared/contract/shell-calls.ts'
import { builtFile } from '../shared/engine/host/app-paths.ts'
import { groundOf, guardContents } from './window.ts'
import { APP_ORIGIN } from './window-guard.ts'

/** One size: what is typed never moves. */
const SIZE = { width: 660, height: 520 }

type What = Extract<ShellEvent, { type: 'shell.show' }>['what']

/** The small window that comes over any app: to write one memory, or to find one. */
export interface QuickWindow {
  /** Makes it out of sight, so that it comes at once when it is called. */
  prepare(): void
  show(what: What): void
  hide(): void
  /** Its page, while there is one. */
  contents(): WebContents | null
  close(): void
}

/**
 * Made when it is first needed, and then kept: put away it only hides, with what was typed.
 * @param onHidden the person put it away
 */
export function createQuickWindow(home: string, onHidden: () => void): QuickWindow {
  let window: BrowserWindow | null = null
  let loaded: Promise<void> = Promise.resolve()

  const make = (): BrowserWindow => {
    const made = new BrowserWindow({
      ...SIZE,
      useContentSize: true,
      show: false,
      frame: false,
      resizable: false,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      title: 'Loom',
      backgroundColor: groundOf(home),
      ...(process.platform === 'darwin' && { type: 'panel' }),
      webPreferences: {
        preload: fileURLToPath(builtFile('../preload/preload.cjs')),
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
        // Hidden most of its life; it must be there in an instant when it is not.
        backgroundThrottling: false,
      },
    })
    guardContents(made)
    made.once('closed', () => (window = null))
    made.webContents.on('render-process-gone', () => made.destroy())
    loaded = made.loadURL(`${APP_ORIGIN}/write`)
    loaded.catch(() => made.destroy())
    return made
  }
  const hide = (): void => {
    if (!window?.isVisible()) return
    window.hide()
    onHidden()
  }
  const place = ({ width, height, x, y }: Electron.Rectangle): void => {
    window?.setPosition(Math.round(x + (width - SIZE.width) / 2), Math.round(y + (height - SIZE.height) / 3))
  }

  return {
    prepare: () => void (window ??= make()),
    show(what) {
      const shown = (window ??= make())
      const appear = async (): Promise<void> => {
        await loaded
        if (shown.isDestroyed()) return
        shown.webContents.send('loom:event', { type: 'shell.show', what } satisfies ShellEvent)
        if (!shown.isVisible()) place(screen.getDisplayNearestPoint(screen.getCursorScreenPoint()).workArea)
        shown.show()
        shown.focus()
      }
      // A page that did not load takes its window with it; the next call makes another.
      void appear().catch(() => {})
    },
    hide,
    contents: () => window?.webContents ?? null,
    close: () => window?.destroy(),
  }
}
