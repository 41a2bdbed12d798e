import { accessSync, constants, existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Environment } from './settings.ts'

/**
 * Root of the clone or of the packaged app: the nearest folder above this module with a package.json. Bundled or not,
 * this module lies somewhere below it.
 */
export function appRoot(): string {
  const own = dirname(fileURLToPath(import.meta.url))
  for (let folder = own; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (dirname(folder) === folder) return own
  }
}

/**
 * Where what is made once after the install lies (converted models, the snapshot of an empty database): in the clone,
 * or in the data folder when the app cannot write beside itself.
 */
export function cacheFolder(home: string): string {
  const modules = join(appRoot(), 'node_modules')
  try {
    accessSync(modules, constants.W_OK)
    return join(modules, '.cache', 'loom')
  } catch {
    return join(home, 'cache')
  }
}

/** A built file of `out/main`, whether this module runs bundled there or from its source. */
export function builtFile(name: string): URL {
  const beside = new URL(name, import.meta.url)
  return existsSync(beside) ? beside : pathToFileURL(join(appRoot(), 'out', 'main', name))
}

/** Folder of the built interface. */
export function rendererFolder(): string {
  return join(appRoot(), 'out', 'renderer')
}

/** The system's folder for the data of apps. */
export function appDataFolder(env: Environment, platform: NodeJS.Platform): string {
  const home = homedir()
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  // Not the roaming one: a database does not travel with a log-in.
  if (platform === 'win32') return env['LOCALAPPDATA'] || join(home, 'AppData', 'Local')
  return env['XDG_DATA_HOME'] || join(home, '.local', 'share')
}
