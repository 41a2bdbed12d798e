import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { app } from 'electron'

/**
 * Has the system start Loom when the person logs in, or not any more. Linux takes a file of the desktop standard.
 * @param appImage file that the AppImage runs from, where it does
 */
export async function startAtLogin(wanted: boolean, appImage: string | undefined): Promise<void> {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: wanted })
    return
  }
  const folder = join(app.getPath('appData'), 'autostart')
  const file = join(folder, 'loom.desktop')
  if (!wanted) {
    await rm(file, { force: true })
    return
  }
  // A packaged AppImage runs from a mount that is gone after it: its own file is what starts it.
  const program = appImage ?? process.execPath
  const command = [program, ...(app.isPackaged ? [] : [app.getAppPath()])]
    .map((part) => `"${part.replaceAll(/["`$\\]/g, String.raw`\$&`)}"`)
    .join(' ')
  await mkdir(folder, { recursive: true })
  await writeFile(file, `[Desktop Entry]\nType=Application\nName=Loom\nExec=${command}\nTerminal=false\n`)
}
