import { join, resolve } from 'node:path'
import { z } from 'zod'
import { appPlacesOf, type Places } from './apps/app-files.ts'
import type { LoomCommand } from './apps/entry.ts'
import { loomCommand, thisProgram } from './apps/loom-command.ts'
import type { EngineConfig } from '../shared/engine/config.ts'
import { appDataFolder } from '../shared/engine/host/app-paths.ts'
import { ENGINE_SETTINGS, readEngineConfig } from '../shared/engine/host/engine-settings.ts'
import { networkOf, type NetworkConfig } from '../shared/engine/host/outbound-fetch.ts'
import { type Environment, oneOf, readSetting, refuseFaults, type Setting, webAddress, whole } from '../shared/engine/host/settings.ts'

/** What the desktop host is built from. */
export interface DesktopConfig {
  /** Data folder, absolute. */
  readonly home: string
  /** Port on loopback; 0 takes a free one. */
  readonly port: number
  /** Whether the person named the port; one that was not named may give way to another. */
  readonly portNamed: boolean
  readonly mode: 'single' | 'multi'
  /** Name or folder of the embedding model. */
  readonly embeddingModel: string
  /** Whether the environment names the model: that wins over settings.json. */
  readonly modelNamed: boolean
  /** Folder of the originals of documents, absolute. */
  readonly objects: string
  readonly engine: EngineConfig
  readonly network: NetworkConfig
}

/** How the command line and `loom mcp` find the engine they talk to. */
export interface ClientConfig {
  /** Address of a server, or null: the app of `home` is looked for. */
  readonly baseUrl: string | null
  /** Bearer token, or null. */
  readonly apiKey: string | null
}

/** Where a person's apps keep their files, and what starts `loom mcp` for them. */
export interface AppsConfig {
  readonly places: Places
  readonly command: LoomCommand
}

export interface Config {
  readonly desktop: DesktopConfig
  readonly client: ClientConfig
  readonly apps: AppsConfig
}

const text = z.string()

/** Every setting that the desktop and its clients read. `docs` and the tests compare this list with the reference. */
export const SETTINGS = {
  ...ENGINE_SETTINGS,
  home: {
    name: 'LOOM_HOME',
    expects: 'the path of a folder',
    default: '',
    about: 'Data folder. By default `Loom` in the folder that the system has for app data.',
    schema: text.refine((path) => !path.includes('\0')),
  },
  port: {
    name: 'LOOM_PORT',
    expects: 'a whole number from 0 to 65535',
    default: 7777,
    about: 'Port on loopback; 0 takes a free one.',
    schema: whole(0, 65_535),
  },
  mode: {
    name: 'LOOM_MODE',
    expects: 'single or multi',
    default: 'single',
    about: 'single: one person, no token; multi: tokens.',
    schema: oneOf('single', 'multi'),
  },
  baseUrl: {
    name: 'LOOM_BASE_URL',
    expects: 'an http or https address',
    default: '',
    about: 'The server a client talks to. By default the app of LOOM_HOME, else http://localhost:7777.',
    schema: webAddress,
  },
  apiKey: {
    name: 'LOOM_API_KEY',
    expects: 'a token of printable characters without spaces',
    default: '',
    about: 'The bearer token that a client sends.',
    schema: text.trim().regex(/^[\x21-\x7e]+$/),
    secret: true,
  },
} as const satisfies Record<
  string,
  Setting<never> | Setting<string> | Setting<number> | Setting<boolean> | Setting<'single' | 'multi'> | Setting<'on' | 'off'>
>

/** The only place of the desktop that looks at the environment. */
export function readEnv(): Environment {
  return { ...process.env }
}

/**
 * Typed settings of an environment.
 * @throws LoomError INVALID_ARGUMENT naming every setting of a wrong type or range.
 */
export function toConfig(env: Environment, platform: NodeJS.Platform = process.platform): Config {
  const faults: string[] = []
  const read = <T>(setting: Setting<T>): T => readSetting(env, setting, faults)
  const home = resolve(read<string>(SETTINGS.home) || join(appDataFolder(env, platform), 'Loom'))
  const config: Config = {
    desktop: {
      home,
      port: read<number>(SETTINGS.port),
      portNamed: Boolean(env[SETTINGS.port.name]),
      mode: read<'single' | 'multi'>(SETTINGS.mode),
      embeddingModel: read<string>(SETTINGS.embeddingModel),
      modelNamed: Boolean(env[SETTINGS.embeddingModel.name]),
      objects: resolve(read<string>(SETTINGS.objectsDir) || join(home, 'objects')),
      engine: readEngineConfig(read),
      network: networkOf(env),
    },
    apps: { places: appPlacesOf(env, platform), command: loomCommand(env, home, thisProgram(), platform) },
    client: { baseUrl: read<string>(SETTINGS.baseUrl) || null, apiKey: read<string>(SETTINGS.apiKey) || null },
  }
  refuseFaults(faults)
  return config
}
