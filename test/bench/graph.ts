import { median, percentile } from './lib/engine.ts'
import { framesDuring, openBenchWindow } from './lib/window.ts'

const MEMORIES = 3900
const ENTITIES = 1100
const RUNS = 3

/** Two of 1,100 entities for each memory: with them some 5,000 nodes and twice as many ties. */
const WITH_ENTITIES = `UPDATE loom.memory SET entities = ARRAY[
  'service ' || (abs(hashtext(memory_id)) % ${ENTITIES - 300}), 'team ' || (abs(hashtext(memory_id || 'team')) % 300)]`

/** Frame times of the window while a graph of 5,000 nodes is dragged and zoomed, and how long it takes to be there. */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  await using window = await openBenchWindow(MEMORIES, WITH_ENTITIES)
  const { page } = window
  await page.keyboard.press('Control+4')
  await page.getByRole('option', { selected: true }).waitFor()
  await page.getByRole('button', { name: /^What is shown/ }).click()
  const from = performance.now()
  await page.getByRole('menuitemradio', { name: 'Whole namespace' }).click()
  const meta = page.locator('.graph-list .meta')
  await page.waitForFunction(() => /^[45],\d\d\d nodes/.test(document.querySelector('.graph-list .meta')?.textContent ?? ''), null, {
    timeout: 120_000,
  })
  const shownMs = performance.now() - from
  const [nodes = '', ties = ''] = (await meta.textContent())?.match(/\d[\d,]*/g) ?? []
  await page.waitForTimeout(1500)
  const box = await page.locator('.graph-canvas').boundingBox()
  if (!box) throw new Error('the graph is not drawn')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const still = await framesDuring(page, () => page.waitForTimeout(1500))
  const dragging: number[] = []
  const zooming: number[] = []
  for (let run = 0; run < RUNS; run++) {
    dragging.push(
      ...(await framesDuring(page, async () => {
        await page.mouse.move(x, y)
        await page.mouse.down()
        for (let step = 0; step < 60; step++) await page.mouse.move(x + 120 * Math.sin(step / 8), y + 90 * Math.cos(step / 8))
        await page.mouse.up()
      })),
    )
    zooming.push(
      ...(await framesDuring(page, async () => {
        for (const key of ['+', '+', '-', '-', '0']) {
          await page.keyboard.press(key)
          await page.waitForTimeout(180)
        }
      })),
    )
  }
  const choosing: number[] = []
  await page.locator('.graph-canvas').focus()
  for (let step = 0; step < 30; step++) {
    const key = (['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'] as const)[step % 4] ?? 'ArrowUp'
    const pressed = performance.now()
    await page.keyboard.press(key)
    await page.evaluate(() => new Promise(requestAnimationFrame))
    choosing.push(performance.now() - pressed)
  }
  const result = {
    nodes: Number(nodes.replace(',', '')),
    ties: Number(ties.replace(',', '')),
    asked_to_drawn_ms: shownMs,
    frame_still_p50_ms: median(still),
    frame_dragging_p50_ms: median(dragging),
    frame_dragging_p95_ms: percentile(dragging, 0.95),
    frame_zooming_p50_ms: median(zooming),
    frame_zooming_p95_ms: percentile(zooming, 0.95),
    to_neighbour_p95_ms: percentile(choosing, 0.95),
    target_frame_ms: 16.7,
  }
  process.stderr.write(
    `graph of ${result.nodes} nodes: frames while dragging p50 ${result.frame_dragging_p50_ms.toFixed(1)}, p95 ${result.frame_dragging_p95_ms.toFixed(1)} ms (target 16.7); drawn after ${shownMs.toFixed(0)} ms\n`,
  )
  return result
}
