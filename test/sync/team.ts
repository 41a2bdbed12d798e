import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { Claims } from '../../shared/contract/ops/engine/info.ts'
import type { CallInputOf, OpName, OutputOf } from '../../shared/contract/registry.ts'
import type { SecretStore } from '../../shared/engine/sync/desktop/port.ts'
import { memorySecrets } from '../../shared/engine/sync/desktop/secrets.ts'
import { NO_MODELS, openTestEngine, type TestEngine, type TestEngineOptions } from '../helpers/engine.ts'
import { openShapeServer, type ShapeServer } from '../engine/shapes/shape-server.ts'
import { UNLIMITED } from '../helpers/unlimited.ts'

/** Several engines share this process: on a busy machine a round takes long. */
vi.setConfig({ testTimeout: 120_000 })

/** What stands between a desktop and the server. */
export interface Wire {
  /** `cut`: nothing gets through; `lose`: the server answers a push, and the answer is lost. */
  mode: 'open' | 'cut' | 'lose'
  /** Pushes that reached the server. */
  pushes: number
  readonly fetch: typeof fetch
}

export function newWire(): Wire {
  const wire: Wire = {
    mode: 'open',
    pushes: 0,
    fetch: async (input, init) => {
      if (wire.mode === 'cut') throw new TypeError('fetch failed')
      const response = await fetch(input, init)
      const isPush = String(input instanceof Request ? input.url : input).endsWith('/v1/sync.push')
      if (isPush) wire.pushes++
      if (isPush && wire.mode === 'lose') {
        await response.arrayBuffer()
        throw new TypeError('terminated')
      }
      return response
    },
  }
  return wire
}

export interface Desktop {
  readonly loom: TestEngine
  readonly wire: Wire
  readonly secrets: SecretStore
  call<N extends OpName>(op: N, input: CallInputOf<N>): Promise<OutputOf<N>>
  /** One whole round of syncing. */
  sync(): Promise<void>
  /** Heads of the org as far as hosts must agree, by key. */
  heads(): Promise<Map<string, Record<string, unknown>>>
  /** Closes the engine and opens it again on the same data. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface Team {
  readonly server: ShapeServer
  /** Token of an admin of the org. */
  readonly admin: string
  desktop(options?: {
    grants?: Claims['grants']
    connect?: boolean
    engine?: TestEngineOptions
    secrets?: SecretStore
    subject?: string
  }): Promise<Desktop>
  code(grants?: Claims['grants'], subject?: string): Promise<{ code: string; link: string }>
  heads(): Promise<Map<string, Record<string, unknown>>>
  /** Rounds of every desktop until nothing waits any more. */
  settle(...desktops: readonly Desktop[]): Promise<void>
  /** The same, after which every host must hold what the server does, by its heads or by what `held` reads. */
  agree(desktops: readonly Desktop[], held?: (loom: TestEngine) => Promise<unknown>): Promise<void>
  close(): Promise<void>
}

const ORG = 'acme'

/** The columns of a head on which every host of a team agrees. */
export async function headsOf(loom: TestEngine, org = ORG): Promise<Map<string, Record<string, unknown>>> {
  const { rows } = await sql<
    Record<string, unknown>
  >`SELECT memory_id, namespace, agent, user_id, session_id, memory_key, version, value, status,
    conflict_verdict, content_sha256, pinned, tags, provisional, rev FROM loom.memory WHERE org = ${org} AND erased_by = ''
    ORDER BY namespace, memory_key`.execute(loom.database.reader)
  return new Map(rows.map((row) => [[row['namespace'], row['agent'], row['user_id'], row['memory_key']].join('|'), row]))
}

/** A real server with its shapes on HTTP, and desktops that are paired with it. */
export async function openTeam(engineOptions: TestEngineOptions = {}): Promise<Team> {
  // Many desktops of one machine: the limits are not what is tested here.
  const server = await openShapeServer({}, { ...engineOptions, config: { rates: UNLIMITED, ...engineOptions.config } })
  const admin = await server.token({ org: ORG, grants: { '*': 'org_admin' } })
  const url = server.url.replace('/v1/shape', '')
  const opened: Desktop[] = []

  async function code(grants: Claims['grants'] = { '*': 'admin' }, subject = 'someone'): Promise<{ code: string; link: string }> {
    const made = await server.call(admin, 'pair.create', { subject, grants })
    return { code: String(made['code']), link: String(made['link']) }
  }

  const team: Team = {
    server,
    admin,
    code,
    heads: () => headsOf(server.loom),
    async desktop({ grants, connect = true, engine = {}, secrets = memorySecrets(), subject } = {}) {
      const wire = newWire()
      const sync = { secrets, fetch: ((input, init) => wire.fetch(input, init)) as typeof fetch, deviceName: 'test', platform: 'test' }
      const folder = engine.folder ?? (await mkdtemp(join(tmpdir(), 'loom-desktop-')))
      const open = (): Promise<TestEngine> => openTestEngine({ models: NO_MODELS, ...engineOptions, ...engine, folder, sync })
      let loom = await open()
      const desktop: Desktop = {
        get loom() {
          return loom
        },
        wire,
        secrets,
        call: (op, input) => loom.call(op, input),
        sync: () => loom.engine.sync?.once() ?? Promise.resolve(),
        heads: () => headsOf(loom),
        async restart() {
          await loom.close()
          loom = await open()
        },
        async close() {
          await loom.close()
          if (engine.folder === undefined) await rm(folder, { recursive: true, force: true })
        },
      }
      opened.push(desktop)
      if (connect) {
        const { code: paired } = await code(grants, subject)
        await patiently(() => loom.call('sync.connect', { server_url: url, code: paired, use_namespace: 'chat' }))
      }
      return desktop
    },
    async settle(...desktops) {
      for (let round = 0; round < 2; round++) for (const desktop of desktops) await desktop.sync()
    },
    async agree(desktops, held = headsOf) {
      await team.settle(...desktops)
      const truth = await held(server.loom)
      for (const desktop of desktops) {
        expect(await held(desktop.loom)).toEqual(truth)
        expect(await desktop.call('sync.status', {})).toMatchObject({ queued: 0, quarantined: 0 })
      }
    },
    async close() {
      for (const desktop of opened) await desktop.close().catch(() => {})
      await server.close()
    },
  }
  return team
}

/** A server takes ten codes a minute from one address; a file of many desktops waits for its turn. */
async function patiently(connect: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await connect()
      return
    } catch (error) {
      const { code, fields } = error as { code?: string; fields?: Record<string, unknown> }
      if (code !== 'RATE_LIMITED') throw error
      await new Promise((resolve) => setTimeout(resolve, 1000 * Number(fields?.['retry_after_s'] ?? 1)))
    }
  }
}

/** Waits until a condition holds. */
export async function until(condition: () => Promise<boolean> | boolean, ms = 10_000): Promise<void> {
  const end = Date.now() + ms
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('it did not happen in time')
    await sleep(10)
  }
}
