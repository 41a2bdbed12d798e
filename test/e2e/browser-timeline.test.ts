import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { sharedHost, type BrowserHost } from './browser-window.ts'
import { eventually, untilFocused } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

const DAY = 86_400_000
const ago = (days: number): string => new Date(Date.now() - days * DAY).toISOString()

/** What a team came to know of its payments: told on the day itself, late, in advance, and of what is over. */
const TOLD: readonly Record<string, unknown>[] = [
  { memory_key: 'payments/owner', value: 'Priya Nair owns payments.', valid_at: ago(170), entities: ['payments'] },
  { memory_key: 'payments/owner', value: 'Lena Fischer owns payments.', valid_at: ago(100), entities: ['payments'], tags: ['team'] },
  { memory_key: 'payments/region', value: 'Payments run in eu-central-1.', valid_at: ago(130), entities: ['payments'] },
  { memory_key: 'payments/retry/limit', value: 'Retry a failed charge three times.', valid_at: ago(120), entities: ['payments'] },
  { memory_key: 'payments/freeze', value: 'No changes from the middle of the month.', valid_at: ago(-17), entities: ['payments'] },
  { memory_key: '決済/締め時刻', value: '日次の締めは 23:30。', valid_at: ago(140), tags: ['決済'] },
  { memory_key: 'مدفوعات/استرداد', value: 'الاسترداد خلال أربعة عشر يوماً.', valid_at: ago(60) },
  { memory_key: 'office/berlin/hours', value: 'The office in Berlin opens at eight.', entities: ['berlin'] },
]

const keys = (page: Page) => page.getByRole('listbox', { name: 'Keys over time' })
const slider = (page: Page) => page.getByRole('slider', { name: 'As of' })
const chosenKey = (page: Page) => keys(page).getByRole('option', { selected: true })
const answer = (page: Page, of: 'True that day' | 'What Loom held that day') =>
  page.locator('.answer').filter({ has: page.getByRole('heading', { name: of, exact: true }) })

async function timeline(host: BrowserHost, options = {}): Promise<Page> {
  const page = await host.open(options)
  await page.keyboard.press('Control+3')
  await slider(page).waitFor()
  return page
}

describe('the timeline in the window', needs(chromium()), () => {
  const host = sharedHost()

  test('of nothing says what will stand here, and how to begin', async () => {
    const page = await timeline(host)
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('shows what was true on a day and what Loom held, by keys alone', async () => {
    for (const claim of TOLD) await host.call('memory.set', { namespace: 'local', agent: 'ops-bot', ...claim })
    const page = await timeline(host)
    await eventually(() => page.locator('.tl-head .meta').textContent()).toContain('7 keys, 8 claims')
    await page.getByText(/^6 claims are true today\. Loom knows 6 and holds 1 in advance\.$/).waitFor()
    await keys(page).focus()
    for (let at = 1; !(await chosenKey(page).textContent())?.includes('payments/owner'); at++) {
      await page.keyboard.press('ArrowDown')
      await eventually(() => chosenKey(page).getAttribute('aria-posinset')).toBe(String(at + 1))
    }
    await eventually(() => answer(page, 'True that day').textContent()).toContain('Lena Fischer owns payments.')
    await eventually(() => answer(page, 'What Loom held that day').textContent()).toContain('Lena Fischer owns payments.')
    // Back by months, then by days: what was true is another claim, and Loom held none of them yet.
    for (let month = 0; month < 4; month++) await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await eventually(() => answer(page, 'True that day').textContent()).toContain('Priya Nair owns payments.')
    await eventually(() => answer(page, 'What Loom held that day').textContent()).toContain('Loom held nothing that day.')
    await page.getByText(/claims? were true that day\. Loom knew none and had yet to learn \d\./).waitFor()
    await page.keyboard.press('t')
    await page.getByText(/are true today/).waitFor()
    await page.keyboard.press('Home')
    await page.getByText('None of these was true that day.').waitFor()
    await page.keyboard.press('t')
    await page.keyboard.press('o')
    await eventually(() => page.title()).toBe('payments/owner · Loom')
  })

  test('answers each day as as_of does, in both times', async () => {
    const page = await timeline(host)
    await keys(page).getByRole('option').filter({ hasText: 'payments/owner' }).click()
    for (let step = 0; step < 5; step++) {
      const before = await slider(page).inputValue()
      await page.keyboard.press('Shift+ArrowLeft')
      await eventually(() => slider(page).inputValue()).not.toBe(before)
      const chosen = Number(await slider(page).inputValue())
      const as_of = new Date(new Date(new Date(chosen * DAY).toISOString().slice(0, 10) + 'T00:00:00').getTime() + DAY - 1).toISOString()
      for (const [as_of_basis, of] of [
        ['valid_time', 'True that day'],
        ['knowledge_time', 'What Loom held that day'],
      ] as const) {
        const { found, value } = await host.call('memory.get', {
          namespace: 'local',
          memory_key: 'payments/owner',
          agent: 'ops-bot',
          as_of,
          as_of_basis,
        })
        const said = found ? (value as string) : of === 'True that day' ? 'Nothing was true that day.' : 'Loom held nothing that day.'
        await eventually(() => answer(page, of).textContent()).toContain(said)
        if (found) await eventually(() => chosenKey(page).getAttribute('aria-label')).toContain(said)
      }
    }
  })

  test('is narrowed to an entity or a tag, and leads to names that are near', async () => {
    const page = await timeline(host)
    await keys(page).getByRole('option').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('paym')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Show every entity/ }).waitFor()
    await eventually(() => keys(page).getByRole('option').count()).toBe(4)
    await untilFocused(page, '.lanes')
    await page.keyboard.press('/')
    await page.keyboard.type('berlinn')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Nothing about berlinn' }).waitFor()
    await page.getByRole('button', { name: 'berlin', exact: true }).click()
    await eventually(() => keys(page).getByRole('option').count()).toBe(1)
    await page.locator('.tl').click({ position: { x: 4, y: 4 } })
    await page.keyboard.press('Escape')
    await eventually(() => keys(page).getByRole('option').count()).toBe(7)
    // What an agent writes meanwhile comes in by itself.
    await host.call('memory.set', { namespace: 'local', memory_key: 'payments/bank', value: 'The bank closes at four.' })
    await eventually(() => keys(page).getByRole('option').count()).toBe(8)
  })

  test('is readable in both themes, mirrored, and in a narrow window', async () => {
    const page = await timeline(host)
    await keys(page).getByRole('option').filter({ hasText: 'payments/owner' }).click()
    for (let month = 0; month < 4; month++) await page.keyboard.press('Shift+ArrowLeft')
    await eventually(() => answer(page, 'True that day').textContent()).toContain('Priya')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await violations(page)).toEqual([])
      await shot(page, `timeline-${colorScheme}`)
    }
    await page.evaluate(() => (document.documentElement.dir = 'rtl'))
    expect(await violations(page)).toEqual([])
    await shot(page, 'timeline-rtl')
    await page.evaluate(() => (document.documentElement.dir = 'ltr'))
    for (const [width, height] of [
      [1000, 700],
      [400, 800],
      [320, 400],
    ] as const) {
      await page.setViewportSize({ width, height })
      await eventually(() => sideways(page, '.lanes, .bar-of, .axis')).toBe(0)
      expect(await violations(page)).toEqual([])
      await shot(page, `timeline-${width}`)
    }
  })

  test('keeps what it shows while Loom is away, and goes on when it is back', async () => {
    const page = await timeline(host)
    await keys(page).getByRole('option').filter({ hasText: 'payments/owner' }).click()
    await eventually(() => answer(page, 'True that day').textContent()).toContain('Lena Fischer')
    await host.kill()
    await page.keyboard.press('Shift+ArrowLeft')
    await eventually(() => page.getByText(/This could not be read/).count()).toBe(2)
    await eventually(() => keys(page).getByRole('option').count()).toBeGreaterThan(6)
    await host.restart()
    await eventually(() => answer(page, 'True that day').textContent()).toContain('Lena Fischer')
    host.faults.splice(0)
  })
})
