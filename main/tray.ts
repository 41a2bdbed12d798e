import { Menu, nativeImage, Tray } from 'electron'
import { TRAY_ICON } from './tray-icon.ts'

export interface TrayActs {
  readonly search: () => void
  readonly open: () => void
  readonly write: () => void
  readonly quit: () => void
}

/** What is beside the acts of the tray's menu: how Loom stands, and the keys that do the same. */
export interface TrayWords {
  readonly standing: string
  readonly searchKeys: string
  readonly writeKeys: string
}

/** Loom in the tray of the system. */
export interface LoomTray {
  /** Whether there is one: not where the desktop has no place for it, nor where the person does not want it. */
  readonly isShown: boolean
  follow(wanted: boolean): void
  tell(words: TrayWords): void
}

/** @param onFault the system would have no tray; everything else goes on without it */
export function createTray(acts: TrayActs, onFault: (error: unknown) => void): LoomTray {
  let tray: Tray | null = null
  let words: TrayWords = { standing: '', searchKeys: '', writeKeys: '' }

  const menu = (): Menu =>
    Menu.buildFromTemplate([
      ...(words.standing ? [{ label: words.standing, enabled: false }, { type: 'separator' as const }] : []),
      { label: withKeys('Quick search', words.searchKeys), click: acts.search },
      { label: 'Open Loom', click: acts.open },
      { label: withKeys('Write a memory', words.writeKeys), click: acts.write },
      { type: 'separator' },
      { label: 'Quit Loom', click: acts.quit },
    ])
  const draw = (): void => {
    tray?.setContextMenu(menu())
    tray?.setToolTip(words.standing ? `Loom: ${words.standing}` : 'Loom')
  }

  return {
    get isShown() {
      return tray !== null
    },
    follow(wanted) {
      if (wanted === (tray !== null)) return
      if (!wanted) {
        tray?.destroy()
        tray = null
        return
      }
      try {
        tray = new Tray(iconOf(process.platform))
        // A Mac opens the menu by itself; there a click is for it.
        if (process.platform !== 'darwin') tray.on('click', acts.open)
        draw()
      } catch (error) {
        tray = null
        onFault(error)
      }
    },
    tell(next) {
      if (next.standing === words.standing && next.searchKeys === words.searchKeys && next.writeKeys === words.writeKeys) return
      words = next
      draw()
    },
  }
}

const withKeys = (label: string, keys: string): string => (keys ? `${label}    ${keys}` : label)

function iconOf(platform: NodeJS.Platform): Electron.NativeImage {
  const isMac = platform === 'darwin'
  const icon = nativeImage.createFromDataURL(isMac ? TRAY_ICON.black : TRAY_ICON.colour).resize({ width: isMac ? 18 : 22 })
  // A Mac draws it in the colour of its bar.
  icon.setTemplateImage(isMac)
  return icon
}
