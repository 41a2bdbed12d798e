import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { appDataFolder, builtFile } from '../../shared/engine/host/app-paths.ts'
import type { Environment } from '../../shared/engine/host/settings.ts'
import type { LoomCommand } from './entry.ts'

export interface Program {
  /** What runs this process. */
  readonly execPath: string
  /** It is Electron, and no Node. */
  readonly isElectron: boolean
  /** The built command line; inside of an archive where the app is installed. */
  readonly cli: string
}

export const thisProgram = (): Program => ({
  execPath: process.execPath,
  isElectron: 'electron' in process.versions,
  cli: fileURLToPath(builtFile('cli.js')),
})

/** Node on the person's path; null where there is none. */
function nodeOnPath(env: Environment, platform: NodeJS.Platform): string | null {
  const name = platform === 'win32' ? 'node.exe' : 'node'
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null
}

/** The app itself: on a Mac its engine runs in a helper inside of it, and an AppImage runs from a mount that ends with it. */
function installedApp(env: Environment, execPath: string): string {
  const [, bundle, name] = /^(.*?\/([^/]+)\.app)\/Contents\//.exec(execPath) ?? []
  return env['APPIMAGE'] || (bundle ? `${bundle}/Contents/MacOS/${name}` : execPath)
}

/**
 * What starts `loom mcp` on this computer, by full paths: an app that was started from an icon has none of the person's own
 * search path.
 */
export function loomCommand(
  env: Environment,
  home: string,
  { execPath, isElectron, cli }: Program,
  platform: NodeJS.Platform,
): LoomCommand {
  const usual = join(appDataFolder(env, platform), 'Loom')
  const where: Record<string, string> = home === usual ? {} : { LOOM_HOME: home }
  if (!isElectron) return { command: execPath, args: [cli, 'mcp'], env: where }
  if (/[\\/]app\.asar[\\/]/.test(cli)) return { command: installedApp(env, execPath), args: ['cli', 'mcp'], env: where }
  const node = env['npm_node_execpath'] || nodeOnPath(env, platform)
  if (node) return { command: node, args: [cli, 'mcp'], env: where }
  return { command: execPath, args: [cli, 'mcp'], env: { ...where, ELECTRON_RUN_AS_NODE: '1' } }
}
