import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { isChangeMessage, type ChangeMessage } from '@electric-sql/client'
import { follow, type Following } from '../../engine/shapes/shape-server.ts'
import { post, scratchHome } from '../../helpers/headless.ts'
import { startServer } from '../../sync-server/server-process.ts'
import { percentile } from './engine.ts'

const MB = 2 ** 20
const SAMPLE_S = 5

async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}

/** Least squares through samples taken `everyS` seconds apart: how much they grow a minute. */
function growthAMinute(samples: readonly number[], everyS: number): number {
  const middle = (samples.length - 1) / 2
  const spread = samples.reduce((sum, _, n) => sum + (n - middle) ** 2, 0)
  const rise = samples.reduce((sum, value, n) => sum + (n - middle) * value, 0)
  return spread === 0 ? 0 : (rise / spread) * (60 / everyS)
}

const keyIn = ({ value }: ChangeMessage): string => (typeof value['memory_key'] === 'string' ? value['memory_key'] : '')

/** What a follower was told of the keys written: each once, and none missing. */
function toldOf({ messages }: Following, keys: ReadonlySet<string>): { lost: number; repeated: number } {
  const told = new Map<string, number>()
  for (const message of messages) {
    if (!isChangeMessage(message)) continue
    const key = keyIn(message)
    if (keys.has(key)) told.set(key, (told.get(key) ?? 0) + 1)
  }
  const repeated = [...told.values()].reduce((sum, times) => sum + times - 1, 0)
  return { lost: keys.size - told.size, repeated }
}

/**
 * Followers of the shape `memory` with the real client, as a desktop follows it, while a server process of its own takes
 * so many writes a second. They hold no engine: fifty of those are more than one machine has room for.
 */
export async function followersBench(followers: number, perSecond: number, seconds: number): Promise<Record<string, unknown>> {
  const { home, drop } = await scratchHome()
  const rates = Object.fromEntries(['READ', 'WRITE', 'ADMIN'].map((name) => [`LOOM_RATE_${name}_PER_MINUTE`, '0']))
  const server = await startServer({ LOOM_SERVER_HOME: home, ...rates })
  while (server.token() === null) await sleep(50)
  const token = server.token() ?? ''
  const headers = { authorization: `Bearer ${token}` }
  const set = (memory_key: string, value: string) =>
    post(server.url, 'memory.set', { namespace: 'chat', agent: 'a', memory_key, value }, headers)
  for (let n = 0; n < 20; n++) await set(`warm/${n}`, `Shelf ${n} is warm.`)
  const following = Array.from({ length: followers }, () => follow(`${server.url}/v1/shape`, token, 'memory'))
  while (!following.every(({ stream }) => stream.isUpToDate)) await sleep(50)
  const arrived = new Map<string, number>()
  following[0]?.stream.subscribe((messages) => {
    for (const message of messages) if (isChangeMessage(message)) arrived.set(keyIn(message), performance.now())
  })

  const [keys, samples, answered, took] = [new Set<string>(), [] as number[], new Map<string, number>(), [] as number[]]
  const under = new Set<Promise<void>>()
  let refused = 0
  const write = async (key: string, n: number): Promise<void> => {
    const asked = performance.now()
    const answer = await set(key, `Shelf ${n} holds box ${(n * 7919) % 10_007}.`).catch(() => null)
    if (answer?.status !== 200) {
      refused++
      return
    }
    keys.add(key)
    answered.set(key, performance.now())
    took.push(performance.now() - asked)
  }
  const from = performance.now()
  for (let n = 0; performance.now() - from < seconds * 1000; n++) {
    const one = write(`follow/${n}`, n)
    under.add(one)
    void one.finally(() => under.delete(one))
    if (n % (perSecond * SAMPLE_S) === 0) samples.push(await memoryOf(server.child.pid))
    await sleep(Math.max(0, from + ((n + 1) * 1000) / perSecond - performance.now()))
  }
  await Promise.all(under)
  const ran = (performance.now() - from) / 1000
  for (const end = Date.now() + 30_000; Date.now() < end && following.some((one) => toldOf(one, keys).lost > 0);) await sleep(250)
  const told = following.map((one) => toldOf(one, keys))
  for (const one of following) one.stop()
  if (server.child.exitCode !== null || server.child.signalCode !== null)
    throw new Error(`the server ended: ${server.stderr().slice(-2000)}`)
  await server.stop()
  await drop()
  const sum = (of: 'lost' | 'repeated'): number => told.reduce((all, one) => all + one[of], 0)
  const visible = [...answered].map(([key, at]) => Math.max(0, (arrived.get(key) ?? Number.NaN) - at)).filter((ms) => !Number.isNaN(ms))
  const part = Math.max(1, Math.floor(samples.length / 3))
  const mean = (some: readonly number[]): number => some.reduce((all, one) => all + one, 0) / Math.max(1, some.length)
  return {
    followers,
    seconds: ran,
    written: keys.size,
    refused,
    writes_per_s: keys.size / ran,
    lost: sum('lost'),
    repeated: sum('repeated'),
    write_p50_ms: percentile(took, 0.5),
    visible_p50_ms: percentile(visible, 0.5),
    visible_p95_ms: percentile(visible, 0.95),
    server_rss_mb_first_third: mean(samples.slice(0, part)) / MB,
    server_rss_mb_last_third: mean(samples.slice(-part)) / MB,
    // A leak grows on to the end; caches and heaps that fill do not.
    server_rss_mb_each_minute: samples.filter((_, n) => n % (60 / SAMPLE_S) === 0).map((bytes) => Math.round(bytes / MB)),
    server_rss_mb_a_minute_last_half: growthAMinute(samples.slice(Math.floor(samples.length / 2)), SAMPLE_S) / MB,
  }
}
