import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { indexedText } from '../../shared/domain/claim/excerpt.ts'
import { runImport, type ImportFile } from '../../shared/client/importing/run-import.ts'
import { distinctTexts, median, openBenchEngine } from './lib/engine.ts'

const CLAIMS = Number(process.env.LOOM_BENCH_CLAIMS ?? 10_000)
/** Claims that are imported between two looks at the embedder: a noisy machine is noisy for both. */
const SLICE = 500
/** Texts that the embedder reads by itself at each look. */
const BARE = 100
const KEY = `import:${'0'.repeat(24)}`
const LOOK_EVERY_MS = 200

/** Bytes that are held while a file of some size is read, beyond those before. */
async function peakWhile(work: () => Promise<unknown>): Promise<number> {
  let peak = 0
  const from = process.memoryUsage()
  const look = setInterval(() => {
    const now = process.memoryUsage()
    peak = Math.max(peak, now.arrayBuffers + now.heapUsed - from.arrayBuffers - from.heapUsed)
  }, LOOK_EVERY_MS)
  try {
    await work()
  } finally {
    clearInterval(look)
  }
  return peak / 2 ** 20
}

/**
 * 10,000 claims from a file, each judged, through the importer and memory.import, beside the embedder's own throughput on
 * the same texts in the same run. Besides: memory while they are imported, and while a file ten times
 * their size is read.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const loom = await openBenchEngine(0)
  const folder = await mkdtemp(join(tmpdir(), 'loom-bench-import-'))
  const texts = await distinctTexts(CLAIMS)
  const lines = texts.map((memory, at) => JSON.stringify({ id: `c${at}`, memory }))
  const padded = join(folder, 'padded.jsonl')
  await writeFile(padded, texts.map((memory, at) => JSON.stringify({ id: `c${at}`, memory, pad: 'x'.repeat(2000) })).join('\n'))
  const fileAt = async (at: string): Promise<ImportFile> => ({
    path: 'claims',
    size: (await stat(at)).size,
    open: () => createReadStream(at),
  })

  const options = { place: { namespace: 'bench' }, columns: {}, dryRun: false } as const
  const rates = { embedder: [] as number[], import: [] as number[] }
  const cpu = { embedder: 0, import: 0 }
  const totals = { found: 0, written: 0, held: 0, skipped: 0, refused: 0, conflicted: 0, duplicate: 0 }
  /** Per second by the wall, and seconds of all cores for each. */
  const timed = async (count: number, into: 'embedder' | 'import', work: () => Promise<unknown>): Promise<void> => {
    const [start, used] = [performance.now(), process.cpuUsage()]
    await work()
    const { user, system } = process.cpuUsage(used)
    rates[into].push(count / ((performance.now() - start) / 1000))
    cpu[into] += (user + system) / 1e6 / count
  }
  async function importSlice(from: number): Promise<void> {
    const slice = join(folder, 'slice.jsonl')
    await writeFile(slice, lines.slice(from, from + SLICE).join('\n'))
    const report = await runImport(loom.client, [await fileAt(slice)], options)
    totals.found += report.found
    for (const name of ['written', 'held', 'skipped', 'refused'] as const) totals[name] += report.totals[name]
    totals.conflicted += report.reasons['written conflicted'] ?? 0
    totals.duplicate += report.reasons['written duplicate'] ?? 0
  }
  const heldFirst = await peakWhile(async () => {
    for (let from = 0; from < CLAIMS; from += SLICE) {
      const bare = texts.slice(from, from + BARE).map((text) => indexedText(`${text} `, KEY))
      await timed(bare.length, 'embedder', async () => {
        for (const text of bare) await loom.embedder.embed([text])
      })
      await timed(Math.min(SLICE, CLAIMS - from), 'import', () => importSlice(from))
    }
  })
  const again = await fileAt(padded)
  const heldSecond = await peakWhile(() => runImport(loom.client, [again], options))
  await loom.close()
  await rm(folder, { recursive: true, force: true })
  const [perSecond, embedder] = [median(rates.import), median(rates.embedder)]
  const result = {
    claims: totals.found,
    totals,
    claims_per_second: perSecond,
    bare_embed_per_second: embedder,
    share_of_embedder: perSecond / embedder,
    target_share: 0.7,
    // Of a machine that others use, too: how much work it is, beside that of the embedder alone.
    share_of_embedder_by_cpu: cpu.embedder / cpu.import,
    peak_mb: heldFirst,
    padded_file_mb: again.size / 2 ** 20,
    padded_peak_mb: heldSecond,
  }
  process.stderr.write(
    `import ${perSecond.toFixed(0)} claims/s; bare embed ${embedder.toFixed(0)}/s; ${(result.share_of_embedder * 100).toFixed(0)}% (target 70%)\n`,
  )
  return result
}
