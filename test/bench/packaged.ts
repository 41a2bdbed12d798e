import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packaging, packedProgram, rendererMemory, startPacked } from '../helpers/packaged.ts'
import { startDisplay } from '../tools/display.ts'
import { fillHome, median } from './lib/engine.ts'

const FACTS = Number(process.env['LOOM_BENCH_FACTS'] ?? 10_000)
const RUNS = 5
/** Long enough for the second window to be made, and for what a start leaves to be collected. */
const AT_REST_MS = 9000

/**
 * The packed app with 10,000 memories: from the start of its program to a list that can be used (rows of the store in
 * sight, the search field ready), beside a start on an empty memory; and what its pages take of memory at rest.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const { available, reason } = packaging()
  if (!available) throw new Error(`there is nothing to measure: ${reason}`)
  const display = await startDisplay()
  if (display.name === null) throw new Error(`there is nothing to measure: ${display.reason}`)
  const program = packedProgram()
  const root = await mkdtemp(join(tmpdir(), 'loom-packaged-'))
  const times: { empty: number[]; filled: number[] } = { empty: [], filled: [] }
  let renderers: number[] = []
  const start = async (home: string, row: boolean): Promise<number> => {
    const env = { ...process.env, LOOM_HOME: home, LOOM_PORT: '0', ...(display.name ? { DISPLAY: display.name } : {}) } as Record<
      string,
      string
    >
    const from = performance.now()
    const packed = await startPacked(program, env)
    try {
      if (row) {
        await packed.page.locator('[role=option] code').first().waitFor()
        await packed.page.locator('.search input').waitFor()
      } else
        await packed.page
          .getByText(/Nothing remembered yet|Where your memory lives/)
          .first()
          .waitFor()
      const took = performance.now() - from
      if (row) {
        await new Promise((resolve) => setTimeout(resolve, AT_REST_MS))
        const now = rendererMemory(packed.child.pid ?? 0)
        if ((now[0] ?? 0) > (renderers[0] ?? 0)) renderers = now
      }
      return took
    } finally {
      await packed.stop()
    }
  }
  try {
    const home = join(root, 'filled')
    await fillHome(home, FACTS)
    // The first start of all converts the models, once.
    await start(home, true)
    for (let run = 0; run < RUNS; run++) times.filled.push(await start(home, true))
    await cp(join(home, 'cache'), join(root, 'empty', 'cache'), { recursive: true }).catch(() => {})
    for (let run = 0; run < 3; run++) times.empty.push(await start(join(root, 'empty'), false))
  } finally {
    await rm(root, { recursive: true, force: true })
    await display.stop()
  }
  return {
    facts: FACTS,
    electron: (await readFile(join(program, '../version'), 'utf8')).trim(),
    empty_start_to_list_ms: median(times.empty),
    start_to_list_ms: median(times.filled),
    start_to_list_all_ms: times.filled.map(Math.round),
    target_start_to_list_ms: 2000,
    renderer_mb: renderers[0] ?? 0,
    renderers_mb: renderers.map(Math.round),
    target_renderer_mb: 250,
  }
}
