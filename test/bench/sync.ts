import { sql } from 'kysely'
import { claimAt, median, percentile } from './lib/engine.ts'
import { followersBench } from './lib/followers.ts'
import { openBenchTeam, type BenchDesktop, type BenchTeam, type Took } from './lib/team.ts'
import { cpuMs } from './lib/team-server.ts'

const FACTS = Number(process.env.LOOM_BENCH_FACTS ?? 10_000)
/** More facts than these are copies, each with a key and an id of its own. */
const WRITTEN = 1000
const TIMES = Number(process.env.LOOM_BENCH_TIMES ?? 10)
const PUSHED = Number(process.env.LOOM_BENCH_PUSHED ?? 1000)
const SAMPLES = Number(process.env.LOOM_BENCH_SAMPLES ?? 60)
const FOLLOWERS = Number(process.env.LOOM_BENCH_FOLLOWERS ?? 50)
const SECONDS = Number(process.env.LOOM_BENCH_SECONDS ?? 180)
/** Parts to run, all of them by default. */
const PARTS = (process.env.LOOM_BENCH_PARTS ?? 'pull,push,visible,follow').split(',')

const say = (words: string): void => void process.stderr.write(`sync: ${words}\n`)

const heads = async ({ loom }: Pick<BenchDesktop, 'loom'>): Promise<number> => {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM loom.memory WHERE org = 'acme'`.execute(loom.database.reader)
  return rows[0]?.n ?? 0
}

interface Pulled {
  readonly rows: number
  /** Wall time, and the processor time of the desktop and of the server. */
  readonly ms: number
  readonly desktopCpu: number
  readonly serverCpu: number
  readonly copy: Took
}

/** A new desktop takes all there is; the bare COPY before and after it, for a noisy machine is noisy for both. */
async function pullOf(team: BenchTeam): Promise<Pulled> {
  const before = await team.bareCopy()
  const desktop = await team.desktop()
  const [server, own, from] = [await team.cpu(), cpuMs(), performance.now()]
  await desktop.sync()
  const [ms, desktopCpu, serverCpu] = [performance.now() - from, cpuMs() - own, (await team.cpu()) - server]
  const rows = await heads(desktop)
  await desktop.close()
  const after = await team.bareCopy()
  return { rows, ms, desktopCpu, serverCpu, copy: { ms: (before.ms + after.ms) / 2, cpu: (before.cpu + after.cpu) / 2 } }
}

function told(words: string, { rows, ms, desktopCpu, serverCpu, copy }: Pulled): Record<string, number> {
  const [ratio, cpuRatio] = [ms / copy.ms, desktopCpu / copy.cpu]
  say(
    `${words}: ${rows} rows in ${ms.toFixed(0)} ms; bare COPY ${copy.ms.toFixed(0)} ms; ratio ${ratio.toFixed(2)} (bar 3); processor: desktop ` +
      `${desktopCpu.toFixed(0)} ms, server ${serverCpu.toFixed(0)} ms, COPY ${copy.cpu.toFixed(0)} ms, desktop's ratio ${cpuRatio.toFixed(2)}`,
  )
  return {
    rows,
    ms,
    bare_copy_ms: copy.ms,
    ratio,
    desktop_cpu_ms: desktopCpu,
    server_cpu_ms: serverCpu,
    copy_cpu_ms: copy.cpu,
    cpu_ratio: cpuRatio,
  }
}

/** The first desktop of a team finds no log: the server makes it then. The next ones share it. */
async function pullBench(): Promise<Record<string, unknown>> {
  const team = await openBenchTeam()
  await team.fill(0, Math.min(FACTS, WRITTEN))
  if (FACTS > WRITTEN) await team.multiply(FACTS / WRITTEN)
  const first = await pullOf(team)
  const answer: Record<string, unknown> = { first: told('first desktop', first) }
  const next = [await pullOf(team), await pullOf(team), await pullOf(team)].toSorted((a, b) => a.ms / a.copy.ms - b.ms / b.copy.ms)[1]
  if (next) answer['next'] = told('another desktop', next)
  if (TIMES > 1) {
    await team.multiply(TIMES)
    const large = await pullOf(team)
    const growth = large.ms / first.ms / (large.rows / first.rows)
    answer['large'] = told('first desktop, more rows', large)
    say(`growth ${growth.toFixed(2)} of linear (bar 1)`)
    answer['growth_of_linear'] = growth
  }
  await team.close()
  return { ...answer, target_ratio: 3, embedding: 'apart: each host makes its own vectors after the rows are there' }
}

async function pushBench(): Promise<Record<string, unknown>> {
  const team = await openBenchTeam()
  const desktop = await team.desktop()
  await desktop.sync()
  const ratios: number[] = []
  const [pushes, bulks, rounds]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < 3; round++) {
    const first = 1_000_000 + round * PUSHED
    desktop.isCut = true
    for (let n = 0; n < PUSHED; n++) await desktop.loom.call('memory.set', claimAt(first + n))
    desktop.isCut = false
    const before = desktop.pushed.ms
    const from = performance.now()
    await desktop.sync()
    rounds.push(performance.now() - from)
    pushes.push(desktop.pushed.ms - before)
    bulks.push(await team.fill(first, first + PUSHED, 'bulk'))
    ratios.push((pushes.at(-1) ?? 0) / (bulks.at(-1) ?? 1))
  }
  await desktop.close()
  await team.close()
  const ratio = median(ratios)
  say(`push of ${PUSHED} ${median(pushes).toFixed(0)} ms; bulk_set ${median(bulks).toFixed(0)} ms; ratio ${ratio.toFixed(2)} (bar 1.5)`)
  return { changes: PUSHED, push_ms: median(pushes), bulk_set_ms: median(bulks), round_ms: median(rounds), ratio, target_ratio: 1.5 }
}

/** From the moment the server answers a push to the row being in another desktop's store. */
async function visibleBench(): Promise<Record<string, unknown>> {
  const team = await openBenchTeam()
  const [writer, reader] = [await team.desktop(), await team.desktop()]
  const seen = new Map<string, number>()
  reader.loom.engine.on((event) => {
    if (event.type === 'memory.changed') seen.set(event.memory_key, performance.now())
  })
  for (const { loom } of [writer, reader]) loom.engine.sync?.start()
  const times: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    const claim = claimAt(2_000_000 + n)
    await writer.loom.call('memory.set', claim)
    for (const end = Date.now() + 20_000; !seen.has(claim.memory_key) && Date.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 2))
    times.push(Math.max(0, (seen.get(claim.memory_key) ?? Number.POSITIVE_INFINITY) - writer.pushed.at))
  }
  for (const desktop of [writer, reader]) {
    await desktop.loom.engine.sync?.stop()
    await desktop.close()
  }
  await team.close()
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
  say(`visible on another desktop ${p50.toFixed(0)} ms after its push was accepted, p95 ${p95.toFixed(0)} ms (bar 250)`)
  return { samples: SAMPLES, p50_ms: p50, p95_ms: p95, target_p50_ms: 250 }
}

/** What team sync costs: a new desktop, a week's push, the way from desktop to desktop, and fifty who follow. */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const answer: Record<string, unknown> = {}
  if (PARTS.includes('pull')) answer['pull'] = await pullBench()
  if (PARTS.includes('push')) answer['push'] = await pushBench()
  if (PARTS.includes('visible')) answer['visible'] = await visibleBench()
  if (PARTS.includes('follow')) {
    const follow = await followersBench(FOLLOWERS, 20, SECONDS)
    const { lost, repeated, writes_per_s: pace } = follow
    say(
      `${FOLLOWERS} followers, ${Number(pace).toFixed(1)} writes/s (asked 20): ${String(lost)} lost, ${String(repeated)} repeated (bar 0, 0)`,
    )
    const { server_rss_mb_each_minute: minutes, server_rss_mb_a_minute_last_half: growth } = follow
    say(`server ${String(minutes)} MB, minute by minute; ${Number(growth).toFixed(1)} MB a minute in the last half (bar: flat)`)
    answer['follow'] = follow
  }
  return answer
}
