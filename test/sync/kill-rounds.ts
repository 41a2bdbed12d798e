import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnv, post, scratchHome, startHeadless, type Headless } from '../helpers/headless.ts'
import { startServer, type ServerProcess } from '../sync-server/server-process.ts'

/** A server and two desktops, each a process of its own, that write, push and pull, and are killed. */

const LINK = /loom:\/\/pair\?server=\S+&code=([0-9A-Z-]+)/
const PLACE = { org: 'team', namespace: 'chat', agent: 'a' } as const
/** A process is killed at a random moment of so many milliseconds. */
const SPAN_MS = 1200
const DESKTOPS = ['ann', 'bob'] as const
const PROCESSES = ['server', ...DESKTOPS] as const

type Name = (typeof DESKTOPS)[number]
type Row = Readonly<{ memory_key: string; version_text: string; status: string; value: unknown }>

/** What the rounds came to. */
export interface Killed {
  readonly rounds: number
  readonly kills: Readonly<Record<string, number>>
  /** Writes that were answered before a process was killed. */
  readonly acknowledged: number
  /** Acknowledged keys that the server does not have, or has with another number of versions than one. */
  readonly lost: readonly string[]
  readonly repeated: readonly string[]
  /** Keys on which a desktop does not agree with the server. */
  readonly apart: readonly string[]
  readonly quarantined: number
  readonly seconds: number
}

interface Stage {
  readonly url: (name: Name) => string
  readonly server: () => ServerProcess
  readonly token: string
  /** Kills these, and starts them again on their data. */
  kill(names: readonly string[]): Promise<void>
  start(names: readonly string[]): Promise<void>
  close(): Promise<void>
}

async function until(what: () => Promise<boolean>, ms: number, words: string): Promise<void> {
  for (const end = Date.now() + ms; !(await what()); await sleep(100))
    if (Date.now() > end) throw new Error(`it never came to this: ${words}`)
}

async function openStage(): Promise<Stage> {
  const homes = new Map<string, Awaited<ReturnType<typeof scratchHome>>>()
  for (const name of PROCESSES) homes.set(name, await scratchHome())
  const home = (name: string): string => homes.get(name)?.home ?? ''
  const desktops = new Map<string, Headless>()
  let port = '0'
  let server = await startServer({ LOOM_SERVER_HOME: home('server'), LOOM_SERVER_PORT: port })
  ;({ port } = new URL(server.url))
  await until(() => Promise.resolve(LINK.test(server.stdout())), 60_000, 'a pairing link is printed')
  const token = server.token() ?? ''
  const start = async (names: readonly string[]): Promise<void> => {
    await Promise.all(
      names.map(async (name) => {
        if (name === 'server') server = await startServer({ LOOM_SERVER_HOME: home('server'), LOOM_SERVER_PORT: port })
        else desktops.set(name, await startHeadless(cleanEnv({ LOOM_HOME: home(name) })))
      }),
    )
  }
  await start(DESKTOPS)
  for (const name of DESKTOPS) {
    const pair = { org: 'team', subject: name, grants: { '*': 'writer' } }
    const { body } = await post(server.url, 'pair.create', pair, { authorization: `Bearer ${token}` })
    const paired = await post(desktops.get(name)?.url ?? '', 'sync.connect', { server_url: `http://127.0.0.1:${port}`, code: body['code'] })
    if (paired.status !== 200) throw new Error(`${name} could not be paired: ${JSON.stringify(paired.body)}`)
  }
  const kill = async (names: readonly string[]): Promise<void> => {
    await Promise.all(names.map(async (name) => (name === 'server' ? server : desktops.get(name))?.stop('SIGKILL')))
  }
  return {
    url: (name) => desktops.get(name)?.url ?? '',
    server: () => server,
    token,
    kill,
    start,
    async close() {
      await kill(PROCESSES)
      for (const { drop } of homes.values()) await drop()
    },
  }
}

/** Writes until it is told to stop or the desktop is gone, and notes the keys that were answered. */
async function writeOn(stage: Stage, name: Name, round: number, acknowledged: string[], isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const memory_key = `kill/${name}/${round}/${n}`
    const input = { ...PLACE, memory_key, value: `Fact ${n} of round ${round} by ${name}.` }
    const answer = await post(stage.url(name), 'memory.set', input).catch(() => null)
    if (answer === null) return
    if (answer.status !== 200) throw new Error(`memory.set answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    acknowledged.push(memory_key)
  }
}

async function rowsAt(url: string, headers: Record<string, string> = {}): Promise<Map<string, string>> {
  const rows = new Map<string, string>()
  for (let cursor: unknown = undefined; ;) {
    const input = { org: 'team', namespace: 'chat', key_prefix: 'kill/', limit: 200, ...(cursor !== undefined && { cursor }) }
    const { status, body } = await post(url, 'memory.list', input, headers)
    if (status !== 200) throw new Error(`memory.list answered ${status}: ${JSON.stringify(body)}`)
    for (const { memory_key, version_text, status: standing, value } of body['rows'] as Row[])
      rows.set(memory_key, JSON.stringify([version_text, standing, value]))
    cursor = body['next_cursor']
    if (cursor === null || cursor === undefined) return rows
  }
}

const apartOf = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key))

/** Who goes in a round: any of the three, and sometimes several at once. */
function victims(): string[] {
  const some = PROCESSES.filter(() => Math.random() < 0.4)
  return some.length > 0 ? some : [PROCESSES[Math.floor(Math.random() * PROCESSES.length)] ?? 'server']
}

/** Whatever waits is pushed and pulled; answers what is left to say against it. */
async function settled(
  stage: Stage,
  acknowledged: readonly string[],
): Promise<Pick<Killed, 'lost' | 'repeated' | 'apart' | 'quarantined'>> {
  const headers = { authorization: `Bearer ${stage.token}` }
  const status = async (name: Name) => (await post(stage.url(name), 'sync.status', {})).body
  const hasNothingLeft = async (name: Name) => {
    const { queued, state } = await status(name)
    return queued === 0 && state === 'idle'
  }
  for (const name of DESKTOPS) await until(() => hasNothingLeft(name), 300_000, `nothing of ${name} waits`)
  let apart: string[] = []
  const agree = async (): Promise<boolean> => {
    const truth = await rowsAt(stage.server().url, headers)
    apart = (await Promise.all(DESKTOPS.map((name) => rowsAt(stage.url(name))))).flatMap((rows) => apartOf(truth, rows))
    return apart.length === 0
  }
  await until(agree, 60_000, 'both desktops agree with the server').catch(() => undefined)
  const [lost, repeated]: [string[], string[]] = [[], []]
  for (const memory_key of acknowledged) {
    const { body } = await post(stage.server().url, 'memory.history', { ...PLACE, memory_key, limit: 10 }, headers)
    const versions = (body['rows'] as unknown[] | undefined)?.length ?? 0
    if (versions === 0) lost.push(memory_key)
    else if (versions > 1) repeated.push(memory_key)
  }
  const quarantined = (await Promise.all(DESKTOPS.map(status))).reduce((sum, body) => sum + Number(body['quarantined']), 0)
  return { lost, repeated, apart, quarantined }
}

/** Rounds of push and pull in which a server and two desktops are killed at random moments. */
export async function killRounds(rounds: number, tell: (round: number) => void = () => undefined): Promise<Killed> {
  const from = performance.now()
  const stage = await openStage()
  try {
    const acknowledged: string[] = []
    const kills: Record<string, number> = {}
    for (let round = 0; round < rounds; round++) {
      const before = acknowledged.length
      let isOver = false
      const writing = DESKTOPS.map((name) => writeOn(stage, name, round, acknowledged, () => isOver))
      await until(() => Promise.resolve(acknowledged.length > before), 120_000, 'a write is answered')
      await sleep(Math.random() * SPAN_MS)
      const gone = victims()
      for (const name of gone) kills[name] = (kills[name] ?? 0) + 1
      await stage.kill(gone)
      isOver = true
      await Promise.all(writing)
      await stage.start(gone)
      tell(round)
    }
    const left = await settled(stage, acknowledged)
    return { rounds, kills, acknowledged: acknowledged.length, ...left, seconds: (performance.now() - from) / 1000 }
  } finally {
    await stage.close()
  }
}
