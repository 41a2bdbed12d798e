import { median, percentile } from './lib/engine.ts'
import { openBenchWindow } from './lib/window.ts'

const KEYS = 2400
const STEPS = 100
const WARM = 10
/** Days in one direction; then back. */
const STRETCH = 40
const LONGEST_MS = 5000

/** Three earlier versions of each key, a month apart in both times: with the present one some 10,000 versions. */
const WITH_HISTORY = `DO $$ DECLARE columns text; BEGIN
  SELECT string_agg(CASE column_name
    WHEN 'version' THEN 'v.version - back * 2592000000000000'
    WHEN 'updated_at' THEN 'v.updated_at - back * interval ''30 days'''
    WHEN 'valid_at' THEN 'v.updated_at - back * interval ''33 days'''
    WHEN 'content_sha256' THEN 'md5(v.content_sha256 || back)'
    WHEN 'excerpt' THEN '''Before '' || back || '': '' || v.excerpt'
    WHEN 'value' THEN 'to_json(''Before '' || back || '': '' || v.excerpt)::text'
    ELSE 'v.' || column_name END, ', ' ORDER BY ordinal_position)
  INTO columns FROM information_schema.columns WHERE table_schema = 'loom' AND table_name = 'memory_version';
  EXECUTE 'INSERT INTO loom.memory_version SELECT ' || columns || ' FROM loom.memory_version v, generate_series(1, 3) AS back';
END $$`

/** From the key that turns the date to both answers of the chosen key, over 10,000 versions. */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  await using window = await openBenchWindow(KEYS, WITH_HISTORY)
  const { page } = window
  const from = performance.now()
  await page.keyboard.press('Control+3')
  await page.waitForFunction(() => /keys, /.test(document.querySelector('.tl-head .meta')?.textContent ?? ''), null, { timeout: 120_000 })
  const loadedMs = performance.now() - from
  const [keys = '', claims = ''] = (await page.locator('.tl-head .meta').textContent())?.match(/\d[\d,]*/g) ?? []
  await page.getByRole('listbox', { name: 'Keys over time' }).focus()
  const times = await page.evaluate(
    async ({ steps, stretch, longest }) => {
      const answered = (): boolean =>
        document.querySelectorAll('.answer').length === 2 && document.querySelectorAll('.answer[aria-busy="true"]').length === 0
      const title = (): string => document.querySelector('.as-of-part h2')?.textContent ?? ''
      const took: number[] = []
      for (let step = 0; step < steps; step++) {
        const before = title()
        const key = Math.floor(step / stretch) % 2 === 0 ? 'ArrowLeft' : 'ArrowRight'
        const pressed = performance.now()
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
        while (title() === before || !answered()) {
          if (performance.now() - pressed > longest) throw new Error(`no answer after ${key} on "${before}"`)
          await new Promise((resolve) => requestAnimationFrame(resolve))
        }
        took.push(performance.now() - pressed)
      }
      return took
    },
    { steps: STEPS + WARM, stretch: STRETCH, longest: LONGEST_MS },
  )
  const steps = times.slice(WARM)
  const result = {
    keys: Number(keys.replace(',', '')),
    versions: Number(claims.replace(',', '')),
    opened_to_bars_ms: loadedMs,
    step_to_answers_p50_ms: median(steps),
    step_to_answers_p95_ms: percentile(steps, 0.95),
    target_p95_ms: 100,
  }
  process.stderr.write(
    `timeline of ${result.versions} versions: step to both answers p50 ${result.step_to_answers_p50_ms.toFixed(1)}, p95 ${result.step_to_answers_p95_ms.toFixed(1)} ms (target 100); bars after ${loadedMs.toFixed(0)} ms\n`,
  )
  return result
}
