import { app, Notification, type WebContents } from 'electron'
import type { SettingKey, SettingValue } from '../shared/contract/desktop-settings.ts'
import { shortcutWords } from '../shared/contract/shortcut.ts'
import type { ShellState } from '../shared/contract/shell-calls.ts'
import type { IpcReply } from '../shared/transport/ipc.ts'
import type { WindowCall } from './engine-messages.ts'
import { watchNotices } from './notices.ts'
import { createQuickWindow, type QuickWindow } from './quick-window.ts'
import { createShortcut } from './shortcuts.ts'
import { createTray } from './tray.ts'

/** Settings that the parts of the system follow. */
export const NATIVE_KEYS = [
  'ui.shortcut_write',
  'ui.shortcut_search',
  'ui.tray',
  'ui.keep_running',
  'ui.notifications',
] as const satisfies readonly SettingKey[]
export type NativeSettings = { readonly [K in (typeof NATIVE_KEYS)[number]]: SettingValue<K> }

/** How long after the start the small window is made, so that it takes nothing from the start itself. Milliseconds. */
const PREPARE_AFTER_MS = 4000

export interface NativeOptions {
  readonly home: string
  readonly call: (call: WindowCall) => Promise<IpcReply>
  /** Shows the main window, at a place where one is named. */
  readonly showMain: (place?: readonly string[]) => void
  readonly isMainFocused: () => boolean
  /** What `state` answers is another. */
  readonly onState: () => void
  readonly onTrayFault: (error: unknown) => void
}

/** What Loom has of the system besides its window: keys, a small window, the tray, notifications. */
export interface Native {
  readonly quick: QuickWindow
  follow(settings: NativeSettings): void
  state(): Omit<ShellState, 'recovery'>
  /** How Loom stands, for the tray. */
  stand(words: string): void
  /** Loom goes on when its window is closed: the tray leads back to it. */
  readonly staysRunning: boolean
  /** Whether a page is the small window's. */
  isQuick(contents: WebContents): boolean
  close(): void
}

export function createNative({ home, call, showMain, isMainFocused, onState, onTrayFault }: NativeOptions): Native {
  const isMac = process.platform === 'darwin'
  let settings: NativeSettings | null = null
  let standing = ''
  let notices: ReturnType<typeof watchNotices> | null = null
  let preparing: NodeJS.Timeout | undefined

  const quick = createQuickWindow(home, () => {
    // A Mac gives the focus back to the app it was taken from only when all of this one hides.
    if (isMac && !isMainFocused()) app.hide()
  })
  const write = createShortcut(() => quick.show('write'))
  const search = createShortcut(() => quick.show('search'))
  const tray = createTray(
    { search: () => quick.show('search'), write: () => quick.show('write'), open: () => showMain(), quit: () => app.quit() },
    onTrayFault,
  )
  const keysOf = (shortcut: typeof write, keys: string | undefined): string =>
    shortcut.state === 'on' && keys ? shortcutWords(keys, isMac) : ''
  const tellTray = (): void =>
    tray.tell({
      standing,
      writeKeys: keysOf(write, settings?.['ui.shortcut_write']),
      searchKeys: keysOf(search, settings?.['ui.shortcut_search']),
    })

  return {
    quick,
    follow(next) {
      settings = next
      write.follow(next['ui.shortcut_write'])
      search.follow(next['ui.shortcut_search'])
      tray.follow(next['ui.tray'])
      tellTray()
      if (next['ui.notifications']) notices ??= watchNotices({ call, isWanted: () => !isMainFocused(), onOpen: (place) => showMain(place) })
      else {
        notices?.stop()
        notices = null
      }
      if (write.state === 'on' || search.state === 'on') preparing ??= setTimeout(() => quick.prepare(), PREPARE_AFTER_MS)
      onState()
    },
    state: () => ({ shortcuts: { write: write.state, search: search.state }, notifications: Notification.isSupported() }),
    stand(words) {
      standing = words
      tellTray()
    },
    get staysRunning() {
      return isMac || (tray.isShown && settings?.['ui.keep_running'] === true)
    },
    isQuick: (contents) => contents === quick.contents(),
    close() {
      clearTimeout(preparing)
      notices?.stop()
      write.follow('')
      search.follow('')
      tray.follow(false)
      quick.close()
    },
  }
}
