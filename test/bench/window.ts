import type { Page } from 'playwright-core'
import { fillHome, median, percentile } from './lib/engine.ts'
import { framesDuring, openWindowOn } from './lib/window.ts'

const FACTS = Number(process.env['LOOM_BENCH_FACTS'] ?? 100_000)
const TYPED = [
  'which port does the payments service listen on',
  'who is paged when the error rate of billing rises',
  'how long are backups of the warehouse queue kept',
]
/** Asked without a window; other words, since the engine remembers the vectors of what was asked last. */
const BARE = [
  'where was the identity cache moved to and by whom',
  'how much memory does the search gateway keep free',
  'when is the mobile pipeline restarted without a beat',
]
const BETWEEN_KEYS_MS = 150
const WHEEL_STEPS = 400
const WHEEL_PX = 160
/** A frame that came later than this was seen to be late at 60 a second. */
const LATE_MS = 25

type Asked = Record<string, number>

/**
 * The list of 100,000 memories in a real Chromium: times between frames while it is scrolled, and from a key in the search
 * field to the rows it found, beside the frames of an empty page and the bare round trip of the same search.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  await using window = await openWindowOn((home) => fillHome(home, FACTS))
  const { page, url } = window
  await untilReady(url)
  const empty = await page.context().browser()?.newPage()
  if (!empty) throw new Error('the browser has gone')
  const idle = await framesDuring(empty, () => empty.waitForTimeout(2000))
  await empty.close()
  await page.bringToFront()

  const rows = page.getByRole('listbox', { name: 'Memories' })
  await rows.getByRole('option').first().waitFor()
  const box = await rows.boundingBox()
  if (!box) throw new Error('the list is not drawn')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  const scrolling = await framesDuring(page, async () => {
    for (let step = 0; step < WHEEL_STEPS; step++) {
      await page.mouse.wheel(0, WHEEL_PX)
      await page.waitForTimeout(12)
    }
  })
  const scrolled = await rows.evaluate((list) => list.scrollTop)

  const bare: number[] = []
  for (const text of BARE) for (let length = 1; length <= text.length; length++) bare.push(await search(url, text.slice(0, length)))
  const toResults = await typeAndWait(page)
  const result = {
    facts: FACTS,
    empty_page_frame_p50_ms: median(idle),
    empty_page_frame_p95_ms: percentile(idle, 0.95),
    scroll_frame_p50_ms: median(scrolling),
    scroll_frame_p95_ms: percentile(scrolling, 0.95),
    scroll_late_frames: scrolling.filter((ms) => ms > LATE_MS).length / scrolling.length,
    scrolled_px: scrolled,
    target_frame_ms: 16.7,
    bare_search_p50_ms: median(bare),
    bare_search_p95_ms: percentile(bare, 0.95),
    keys: toResults.length,
    key_to_results_p50_ms: median(toResults),
    key_to_results_p95_ms: percentile(toResults, 0.95),
    target_p95_ms: 100,
  }
  process.stderr.write(
    `${FACTS} memories: frames while scrolling p50 ${result.scroll_frame_p50_ms.toFixed(1)}, p95 ${result.scroll_frame_p95_ms.toFixed(1)} ms (empty page ${result.empty_page_frame_p95_ms.toFixed(1)}); key to results p50 ${result.key_to_results_p50_ms.toFixed(0)}, p95 ${result.key_to_results_p95_ms.toFixed(0)} ms (target 100), bare search p95 ${result.bare_search_p95_ms.toFixed(0)} ms\n`,
  )
  return result
}

/** Times from a letter in the search field to the frame that shows what it found, of letters that nobody typed over. */
async function typeAndWait(page: Page): Promise<number[]> {
  // Before the page begins, which keeps the fetch that it finds.
  await page.addInitScript(() => {
    const [typed, shown]: [Asked, Asked] = [{}, {}]
    Object.assign(globalThis, { loomTyped: typed, loomShown: shown })
    addEventListener('input', ({ target }) => (typed[(target as HTMLInputElement).value] = performance.now()), true)
    const ask = globalThis.fetch.bind(globalThis)
    globalThis.fetch = async (input, init) => {
      const answer = await ask(input, init)
      if (typeof init?.body !== 'string' || !String(input instanceof Request ? input.url : input).includes('memory.search')) return answer
      const { query } = JSON.parse(init.body) as { query: string }
      // The page reads the answer and draws it before the second frame from now.
      const drawn = (): void => void requestAnimationFrame(() => requestAnimationFrame(() => (shown[query] ??= performance.now())))
      void answer.clone().text().then(drawn)
      return answer
    }
  })
  await page.reload()
  const field = page.getByRole('combobox', { name: 'Search' })
  for (const text of TYPED) {
    await field.fill('')
    await page.waitForTimeout(500)
    await field.pressSequentially(text, { delay: BETWEEN_KEYS_MS })
    await page.waitForTimeout(1000)
  }
  const { typed, shown } = await page.evaluate(() => {
    const { loomTyped, loomShown } = globalThis as unknown as { loomTyped: Asked; loomShown: Asked }
    return { typed: loomTyped, shown: loomShown }
  })
  return Object.entries(typed).flatMap(([text, at]) => {
    const drawn = shown[text]
    return drawn === undefined ? [] : [drawn - at]
  })
}

/** One search over HTTP, in milliseconds. */
async function search(url: string, query: string): Promise<number> {
  const from = performance.now()
  const answer = await fetch(`${url}/v1/memory.search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, limit: 50 }),
  })
  await answer.text()
  return performance.now() - from
}

/** Until both models are loaded and the search index holds every row. */
async function untilReady(url: string): Promise<void> {
  for (;;) {
    const health = (await (await fetch(`${url}/v1/health`)).json()) as { status: string }
    if (health.status === 'ok') return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
