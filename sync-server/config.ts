import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { Name } from '../shared/contract/common.ts'
import type { EngineConfig } from '../shared/engine/config.ts'
import { appDataFolder } from '../shared/engine/host/app-paths.ts'
import { ENGINE_SETTINGS, readEngineConfig } from '../shared/engine/host/engine-settings.ts'
import { networkOf, type NetworkConfig } from '../shared/engine/host/outbound-fetch.ts'
import { SERVER_ERASURE_SETTINGS } from '../shared/engine/host/erasure-settings.ts'
import { readWebhookConfig, WEBHOOK_SETTINGS } from '../shared/engine/host/webhook-settings.ts'
import { type Environment, oneOf, readSetting, refuseFaults, type Setting, webAddress, whole } from '../shared/engine/host/settings.ts'
import { isLoopback } from '../shared/transport/known-host.ts'

/** Where the rows lie: in the data folder, or in a Postgres. */
export type StoreConfig = { readonly kind: 'pglite'; readonly dataDir: string } | { readonly kind: 'postgres'; readonly url: string }

/** What the server is built from. */
export interface ServerConfig {
  /** Data folder, absolute. */
  readonly home: string
  readonly port: number
  /** Address to bind. */
  readonly host: string
  /** Address by which others know the server; null: `http://localhost:<port>`. */
  readonly publicUrl: string | null
  readonly mode: 'single' | 'multi'
  /** Org of the token that the first start mints. */
  readonly org: string
  readonly store: StoreConfig
  /** Electric service that shapes are asked of; null: the server answers them itself. */
  readonly electricUrl: string | null
  readonly embeddingModel: string
  /** Folder of the originals of documents, absolute. */
  readonly objects: string
  /** Addresses and modules of external erasers. */
  readonly externalErasers: readonly string[]
  readonly engine: EngineConfig
  readonly network: NetworkConfig
}

const HOST_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i

/** Every setting that the server reads. */
export const SETTINGS = {
  ...ENGINE_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...SERVER_ERASURE_SETTINGS,
  home: {
    name: 'LOOM_SERVER_HOME',
    expects: 'the path of a folder',
    default: '',
    about: 'Data folder. By default `Loom Server` in the folder that the system has for app data.',
    schema: z.string().refine((path) => !path.includes('\0')),
  },
  port: {
    name: 'LOOM_SERVER_PORT',
    expects: 'a whole number from 0 to 65535',
    default: 7788,
    about: 'Port; 0 takes a free one.',
    schema: whole(0, 65_535),
  },
  host: {
    name: 'LOOM_HOST',
    expects: 'an address of this machine, such as 127.0.0.1 or 0.0.0.0',
    default: '127.0.0.1',
    about: 'Address to bind; another than loopback needs multi mode.',
    schema: z
      .string()
      .trim()
      .refine((text) => isIP(text) !== 0 || HOST_NAME.test(text)),
  },
  publicUrl: {
    name: 'LOOM_PUBLIC_URL',
    expects: 'an http or https address',
    default: '',
    about: 'Address in pairing links; its host is accepted in Host and Origin. By default http://localhost:<LOOM_SERVER_PORT>.',
    schema: webAddress,
  },
  mode: {
    name: 'LOOM_MODE',
    expects: 'single or multi',
    default: 'multi',
    about: 'multi: every call needs a token; single: one person, no token, loopback only.',
    schema: oneOf('single', 'multi'),
  },
  org: {
    name: 'LOOM_ORG',
    expects: 'a name of a-z, 0-9, dot, _ and -, other than dev, which every desktop keeps for itself',
    default: 'team',
    about: 'Org of the token that the first start mints.',
    schema: Name.refine((org) => org !== 'dev') as z.ZodType<string, string>,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    expects: 'a postgres:// address',
    default: '',
    about: 'Postgres 15 or later with pgvector 0.7 or later, instead of a PGlite in the data folder.',
    schema: z.string().trim().refine(isPostgresUrl),
    secret: true,
  },
  electricUrl: {
    name: 'ELECTRIC_URL',
    expects: 'an http or https address',
    default: '',
    about: 'Electric service in front of the same Postgres that holds the shapes which devices follow; a secret goes as ?secret=….',
    schema: z
      .string()
      .trim()
      .refine((text) => text === '' || (/^https?:\/\//.test(text) && URL.canParse(text))),
    secret: true,
  },
} as const satisfies Record<
  string,
  | Setting<string>
  | Setting<number>
  | Setting<boolean>
  | Setting<'single' | 'multi'>
  | Setting<'on' | 'off'>
  | Setting<readonly string[]>
  | Setting<readonly number[]>
>

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)
}

function engineConfig(read: <T>(setting: Setting<T>) => T): EngineConfig {
  const config = readEngineConfig(read)
  return {
    ...config,
    webhooks: readWebhookConfig(read),
    erasure: { ...config.erasure, vacuumFull: read<boolean>(SETTINGS.erasureVacuumFull) },
  }
}

/** The only place of the server that looks at the environment. */
export function readEnv(): Environment {
  return { ...process.env }
}

/** A webhook secret, read at each use so that one can be set or changed while the server runs. */
export function webhookSecret(name: string): string | undefined {
  return process.env[name]
}

/**
 * Typed settings of an environment.
 * @throws LoomError INVALID_ARGUMENT naming every setting of a wrong type or range.
 */
export function toConfig(env: Environment, platform: NodeJS.Platform = process.platform): ServerConfig {
  const faults: string[] = []
  const read = <T>(setting: Setting<T>): T => readSetting(env, setting, faults)
  const home = resolve(read<string>(SETTINGS.home) || join(appDataFolder(env, platform), 'Loom Server'))
  const url = read<string>(SETTINGS.databaseUrl)
  const config: ServerConfig = {
    home,
    port: read<number>(SETTINGS.port),
    host: read<string>(SETTINGS.host).toLowerCase(),
    publicUrl: read<string>(SETTINGS.publicUrl) || null,
    mode: read<'single' | 'multi'>(SETTINGS.mode),
    org: read<string>(SETTINGS.org),
    store: url ? { kind: 'postgres', url } : { kind: 'pglite', dataDir: join(home, 'db') },
    electricUrl: read<string>(SETTINGS.electricUrl) || null,
    embeddingModel: read<string>(SETTINGS.embeddingModel),
    objects: resolve(read<string>(SETTINGS.objectsDir) || join(home, 'objects')),
    externalErasers: read<readonly string[]>(SETTINGS.externalErasers),
    engine: engineConfig(read),
    network: networkOf(env),
  }
  if (config.mode === 'single' && !isLoopback(config.host)) {
    faults.push(
      `LOOM_HOST: ${JSON.stringify(config.host)} is open to other machines, and LOOM_MODE=single asks nobody for a token. Leave LOOM_MODE at multi, or bind 127.0.0.1.`,
    )
  }
  if (config.electricUrl !== null && config.store.kind === 'pglite')
    faults.push('ELECTRIC_URL: Electric reads a Postgres, and DATABASE_URL names none. Set DATABASE_URL too, or leave ELECTRIC_URL out.')
  refuseFaults(faults)
  return config
}
