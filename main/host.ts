import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { isLoomError, LoomError } from '../shared/contract/errors.ts'
import { LOOM_VERSION } from '../shared/contract/version.ts'
import type { Engine } from '../shared/engine/api.ts'
import { createHttpApp } from '../shared/transport/http.ts'
import { listen, type Listening } from '../shared/transport/serve.ts'
import { rendererFolder } from '../shared/engine/host/app-paths.ts'
import { createClosers } from '../shared/engine/host/closers.ts'
import type { SecretStore } from '../shared/engine/sync/desktop/port.ts'
import { openAppRecords } from './apps/app-records.ts'
import { createApps } from './apps/apps.ts'
import type { AppsConfig, DesktopConfig } from './config.ts'
import { createHostCalls } from './host-calls.ts'
import type { HostCalls } from '../shared/transport/host-calls.ts'
import { lockDataFolder } from '../shared/engine/host/data-folder.ts'
import { removeEndpoint, writeEndpoint } from './endpoint.ts'
import { mintDesktopToken } from '../shared/engine/store/first-start.ts'
import { frontOf, openEngine } from './open-engine.ts'
import { openSettings } from './open-settings.ts'

/** The desktop's engine with its loopback address. */
export interface DesktopHost extends AsyncDisposable {
  readonly engine: Engine
  /** Where HTTP and MCP answer, such as `http://127.0.0.1:7777`. */
  readonly url: string
  /** What is answered to the host's own window besides operations; undefined without `apps`. */
  readonly calls: HostCalls | undefined
  /** In multi mode: the token minted just now, since there was none; to be shown once. */
  readonly firstToken: string | null
  /** Closes in reverse order of opening; calls under way end first. */
  close(): Promise<void>
}

export interface HostOptions {
  readonly logger: Logger
  /** Take a free port when the usual one is taken and nobody named it. */
  readonly portMayMove?: boolean
  /** The host can show a first token to the person, and so may mint it. */
  readonly showsFirstToken?: boolean
  /** The person's apps, for the host's own window; left out, it has none. */
  readonly apps?: AppsConfig
  /** Where the secrets of syncing lie; left out, in a file of the data folder. */
  readonly secrets?: SecretStore
}

/**
 * Takes the data folder, listens on loopback, opens the engine and writes `endpoint.json`. From the moment it listens
 * until it is open, calls are answered 503 UNAVAILABLE.
 * @throws LoomError UNAVAILABLE with `owner_pid` while another process holds the folder, or naming the port it cannot have.
 */
export async function createDesktopHost(config: DesktopConfig, options: HostOptions): Promise<DesktopHost> {
  const { logger } = options
  const startedAt = new Date().toISOString()
  const closers = createClosers((error) => logger.error({ err: error }, 'closing failed'))
  try {
    const lock = await lockDataFolder(config.home)
    closers.add(() => lock.release())
    await removeEndpoint(config.home)
    const settings = await openSettings(config)
    const late = frontOf(config, settings)
    const staticDir = rendererFolder()
    let opening: HostCalls | null = null
    const calls: HostCalls | undefined = options.apps && {
      async run(name, input) {
        if (opening) return opening.run(name, input)
        throw new LoomError('UNAVAILABLE', 'Loom is starting. Try again in a second.', { retry_after_s: 1 })
      },
    }
    const app = createHttpApp(late, {
      logger,
      ...(calls && { hostCalls: calls }),
      serves: { http: settings.get('server.http'), mcp: settings.get('server.mcp') },
      ...(existsSync(join(staticDir, 'index.html')) ? { staticDir } : {}),
    })
    const port = { number: settings.get('server.port'), named: settings.given('server.port') !== null }
    const addresses = await listenOnLoopback(app, port, options)
    const url = addresses[0].url
    closers.add(async () => void (await Promise.all(addresses.map((address) => address.close()))))
    const { secrets } = options
    const opened = await openEngine(config, logger, closers, { front: late, settings, ...(secrets && { secrets }) })
    if (options.apps) {
      const apps = createApps({ ...options.apps, records: await openAppRecords(config.home), clock: Date.now })
      opening = createHostCalls({ apps, engine: opened.local, url })
    }
    // Last: a start that fails must not use up a token that nobody saw.
    const minted =
      config.mode === 'multi' && options.showsFirstToken === true ? await mintDesktopToken(opened.database(), new Date()) : null
    opened.local().sync?.start()
    await writeEndpoint(config.home, { url, pid: process.pid, started_at: startedAt, version: LOOM_VERSION })
    closers.add(() => removeEndpoint(config.home))
    closers.add(() => late.stop())
    const close = () => closers.close()
    return { engine: late, url, calls, firstToken: minted?.token ?? null, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** 127.0.0.1, and ::1 on the same port where the machine has it: `localhost` may mean either. */
async function listenOnLoopback(
  app: ReturnType<typeof createHttpApp>,
  port: { readonly number: number; readonly named: boolean },
  { logger, portMayMove }: HostOptions,
): Promise<readonly [Listening, ...Listening[]]> {
  const first = await listen(app, { host: '127.0.0.1', port: port.number }).catch((error: unknown) => {
    if (!portMayMove || port.named || !isLoomError(error)) throw error
    logger.warn(`port ${port.number} is taken: listening on a free one`)
    return listen(app, { host: '127.0.0.1', port: 0 })
  })
  try {
    return [first, await listen(app, { host: '::1', port: first.port })]
  } catch (error) {
    logger.info({ reason: String(error) }, 'not listening on ::1')
    return [first]
  }
}
