import { chromium, type Page } from 'playwright-core'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { cleanEnv, scratchHome, startHeadless } from '../../helpers/headless.ts'
import { findProgram } from '../../tools/programs.ts'
import { fillHome, multiply } from './engine.ts'

/** A host on a filled data folder, and a real Chromium on its window. */
export interface BenchWindow extends AsyncDisposable {
  readonly page: Page
  readonly url: string
}

/** Facts that the engine itself writes; the others are their copies. */
const WRITTEN = 300

/**
 * @param facts memories in namespace `local`
 * @param sql what is changed in the database before the host starts
 */
export async function openBenchWindow(facts: number, sql: string): Promise<BenchWindow> {
  return await openWindowOn(async (home) => {
    const dataDir = await fillHome(home, WRITTEN)
    await multiply(dataDir, Math.ceil(facts / WRITTEN))
    await using database = await openPglite({ dataDir })
    await database.pg.exec(sql)
  })
}

/** @param fill puts a database into the data folder */
export async function openWindowOn(fill: (home: string) => Promise<unknown>): Promise<BenchWindow> {
  const executablePath = process.env['LOOM_TEST_CHROMIUM'] ?? findProgram('chromium', 'chromium-browser', 'google-chrome-stable')
  if (executablePath === null) throw new Error('there is no Chromium on PATH: install it, or set LOOM_TEST_CHROMIUM')
  const { home, drop } = await scratchHome()
  await fill(home)
  const host = await startHeadless(cleanEnv({ LOOM_HOME: home }))
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  await page.goto(host.url)
  await page.getByRole('combobox', { name: 'Search' }).waitFor()
  return {
    page,
    url: host.url,
    async [Symbol.asyncDispose]() {
      await browser.close()
      await host.stop()
      await drop()
    },
  }
}

/** Times between frames while something is done, in milliseconds. */
export async function framesDuring(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = []
    let last = performance.now()
    const tick = (at: number): void => {
      frames.push(at - last)
      last = at
      if ('loomFrames' in globalThis) requestAnimationFrame(tick)
    }
    Object.assign(globalThis, { loomFrames: frames })
    requestAnimationFrame(tick)
  })
  await act()
  return await page.evaluate(() => {
    const { loomFrames } = globalThis as unknown as { loomFrames: number[] }
    Reflect.deleteProperty(globalThis, 'loomFrames')
    return loomFrames.slice(1)
  })
}
