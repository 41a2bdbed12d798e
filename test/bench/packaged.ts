import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareElectron, packaging, packedProgram, rendererMemory, startPacked, type Packed } from '../helpers/packaged.ts'
import { startDisplay } from '../tools/display.ts'
import { fillHome, median } from './lib/engine.ts'

const FACTS = Number(process.env['LOOM_BENCH_FACTS'] ?? 10_000)
const RUNS = 5
/** Long enough for the second window to be made, and for what a start leaves to be collected. */
const AT_REST_MS = 9000

/**
 * The packed app with 10,000 memories: from the start of its program to a list that can be used (rows of the store in
 * sight, the search field ready), beside a start on an empty memory and the start of the same Electron with one window
 * and nothing in it, turn about; where the time went; and what its pages take of memory at rest.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const { available, reason } = packaging()
  if (!available) throw new Error(`there is nothing to measure: ${reason}`)
  const display = await startDisplay()
  if (display.name === null) throw new Error(`there is nothing to measure: ${display.reason}`)
  const program = packedProgram()
  const root = await mkdtemp(join(tmpdir(), 'loom-packaged-'))
  const times: Record<'bare' | 'empty' | 'filled' | keyof Steps, number[]> = {
    bare: [],
    empty: [],
    filled: [],
    page: [],
    paint: [],
    engine: [],
  }
  let renderers: number[] = []
  const start = async (home: string, row: boolean): Promise<number> => {
    const env = { ...process.env, LOOM_HOME: home, LOOM_PORT: '0', ...(display.name ? { DISPLAY: display.name } : {}) } as Record<
      string,
      string
    >
    const began = Date.now()
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
        const steps = await stepsOf(packed, home, began)
        for (const step of ['page', 'paint', 'engine'] as const) times[step].push(steps[step])
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
    const bare = await bareApp(root)
    for (const step of ['page', 'paint', 'engine'] as const) times[step] = []
    for (let run = 0; run < RUNS; run++) {
      times.bare.push(await startBare(bare, display.name))
      times.filled.push(await start(home, true))
    }
    await cp(join(home, 'cache'), join(root, 'empty', 'cache'), { recursive: true }).catch(() => {})
    for (let run = 0; run < 3; run++) times.empty.push(await start(join(root, 'empty'), false))
  } finally {
    await rm(root, { recursive: true, force: true })
    await display.stop()
  }
  return {
    facts: FACTS,
    electron: (await readFile(join(program, '../version'), 'utf8')).trim(),
    bare_window_ms: median(times.bare),
    empty_start_to_list_ms: median(times.empty),
    start_to_page_ms: median(times.page),
    start_to_first_paint_ms: median(times.paint),
    start_to_engine_ms: median(times.engine),
    start_to_list_ms: median(times.filled),
    start_to_list_all_ms: times.filled.map(Math.round),
    start_to_list_times_bare: median(times.filled) / median(times.bare),
    target_start_to_list_ms: 2000,
    renderer_mb: renderers[0] ?? 0,
    renderers_mb: renderers.map(Math.round),
    target_renderer_mb: 250,
  }
}

/** Milliseconds after the start of the program. */
interface Steps {
  /** The page began. */
  readonly page: number
  /** It showed something. */
  readonly paint: number
  /** The engine answers. */
  readonly engine: number
}

async function stepsOf({ page }: Packed, home: string, began: number): Promise<Steps> {
  const { origin, paint } = await page.evaluate(() => ({
    origin: performance.timeOrigin,
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  }))
  // Written last of all, when the engine is open.
  const { mtimeMs } = await stat(join(home, 'endpoint.json'))
  return { page: origin - began, paint: origin + paint - began, engine: mtimeMs - began }
}

/** An app of one window with one word. */
async function bareApp(root: string): Promise<string> {
  const folder = join(root, 'bare')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "name": "bare", "version": "1.0.0", "main": "main.js" }')
  await writeFile(join(folder, 'page.html'), '<!doctype html><title>bare</title><p>Here</p>')
  await writeFile(
    join(folder, 'main.js'),
    `const { app, BrowserWindow } = require('electron')
    app.setPath('userData', __dirname + '/window')
    app.whenReady().then(() => new BrowserWindow({ width: 1240, height: 820 }).loadFile('page.html'))`,
  )
  return folder
}

async function startBare(folder: string, display: string | null): Promise<number> {
  const from = performance.now()
  const bare = await startPacked(bareElectron, { ...process.env, ...(display ? { DISPLAY: display } : {}) }, folder)
  try {
    await bare.page.getByText('Here').waitFor()
    return performance.now() - from
  } finally {
    await bare.stop()
  }
}
