import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openPglite } from '../../shared/engine/db/pglite.ts'
import { fillHome, median } from './lib/engine.ts'

const FACTS = Number(process.env['LOOM_BENCH_FACTS'] ?? 10_000)
const RUNS = 5
/** After this long the garbage of the start is collected. */
const AT_REST_MS = 8000
const HEADLESS = join(import.meta.dirname, '../../out/main/headless.js')

interface Started {
  readonly process: ChildProcess
  readonly firstAnswerMs: number
}

/** Starts the headless host on a home and waits for its first answered search. */
async function startAndSearch(home: string): Promise<Started> {
  const from = performance.now()
  const child = spawn(process.execPath, [HEADLESS], {
    env: { ...process.env, LOOM_HOME: home, LOOM_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout })
  const [line] = (await once(lines, 'line')) as [string]
  const url = /https?:\/\/\S+/.exec(line)?.[0]
  if (!url) throw new Error(`no address in ${line}`)
  for (;;) {
    const answer = await fetch(new URL('/v1/memory.search', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'which port does the payments service listen on' }),
    })
    if (answer.ok) return { process: child, firstAnswerMs: performance.now() - from }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

async function bareReopen(dataDir: string): Promise<number> {
  const from = performance.now()
  const database = await openPglite({ dataDir })
  const took = performance.now() - from
  await database.close()
  return took
}

/**
 * From the start of the process to the first answered search: the first start ever (an empty home, after install), and
 * a start on 10,000 memories, beside the bare reopening of the same database.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  if (!existsSync(HEADLESS)) throw new Error('build first: npm run build')
  const root = await mkdtemp(join(tmpdir(), 'loom-start-'))
  const first: number[] = []
  const second: number[] = []
  const bare: number[] = []
  let [rssMb, atFirstAnswerMb] = [0, 0]
  try {
    for (let run = 0; run < 3; run++) {
      const started = await startAndSearch(join(root, `first-${run}`))
      first.push(started.firstAnswerMs)
      await stop(started.process)
    }
    const home = join(root, 'filled')
    const dataDir = await fillHome(home, FACTS)
    for (let run = 0; run < RUNS; run++) {
      bare.push(await bareReopen(dataDir))
      const started = await startAndSearch(home)
      second.push(started.firstAnswerMs)
      const pid = started.process.pid ?? 0
      atFirstAnswerMb = Math.max(atFirstAnswerMb, await rssOf(pid))
      await new Promise((resolve) => setTimeout(resolve, AT_REST_MS))
      rssMb = Math.max(rssMb, await rssOf(pid))
      await stop(started.process)
    }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
  const result = {
    facts: FACTS,
    first_start_ms: median(first),
    target_first_start_ms: 5000,
    bare_reopen_ms: median(bare),
    second_start_to_search_ms: median(second),
    target_second_start_ms: 1500,
    engine_rss_at_first_answer_mb: atFirstAnswerMb,
    engine_rss_mb: rssMb,
    target_rss_mb: 700,
  }
  process.stderr.write(
    `first start ${result.first_start_ms.toFixed(0)} ms (target 5000); start on ${FACTS} to first search ${result.second_start_to_search_ms.toFixed(0)} ms (target 1500), bare reopen ${result.bare_reopen_ms.toFixed(0)} ms; ${rssMb.toFixed(0)} MB\n`,
  )
  return result
}

/** Resident memory of a process in MB, where the system tells it. */
async function rssOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}
