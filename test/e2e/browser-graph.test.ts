import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { sharedHost, type BrowserHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

const TOLD: readonly Record<string, unknown>[] = [
  { memory_key: 'office/berlin/hours', value: 'The office in Berlin opens at eight.', entities: ['berlin'] },
  { memory_key: 'office/berlin/door', value: 'The door code in Berlin changes every May.', entities: ['berlin'] },
  { memory_key: 'payments/owner', value: 'Lena Fischer owns payments.', entities: ['payments', 'lena fischer'] },
  { memory_key: 'payments/region', value: 'Payments run in eu-central-1.', entities: ['payments'] },
  { memory_key: 'payments/retry', value: 'Retry a failed charge three times.', entities: ['payments'] },
  { memory_key: 'team/lena', value: 'Lena Fischer works from Lisbon.', entities: ['lena fischer'] },
  { memory_key: 'docs/rollback', value: 'Roll back with the previous image tag.' },
  { memory_key: 'مدفوعات/استرداد', value: 'الاسترداد خلال أربعة عشر يوماً.', entities: ['payments'] },
]

const list = (page: Page) => page.getByRole('listbox', { name: 'Nodes of the graph' })
const node = (page: Page, text: string) => list(page).getByRole('option').filter({ hasText: text })
const chosen = (page: Page) => list(page).getByRole('option', { selected: true })
const details = (page: Page) => page.getByRole('complementary', { name: 'Node' })
const canvas = (page: Page) => page.getByRole('application', { name: 'The graph drawn' })

async function graph(host: BrowserHost, options = {}): Promise<Page> {
  const page = await host.open(options)
  await page.keyboard.press('Control+4')
  await page.getByRole('searchbox', { name: 'Find in the graph' }).waitFor()
  return page
}

describe('the graph in the window', needs(chromium()), () => {
  const host = sharedHost()

  test('of nothing says what will stand here, and how to begin', async () => {
    const page = await graph(host)
    await page.getByRole('heading', { name: 'Nothing to draw yet' }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('is around one memory: its entities, its links, and what shares them', async () => {
    for (const claim of TOLD) await host.call('memory.set', { namespace: 'local', agent: 'ops-bot', ...claim })
    await host.call('memory.link', {
      namespace: 'local',
      agent: 'ops-bot',
      memory_key: 'payments/retry',
      to_key: 'docs/rollback',
      relation: 'depends_on',
    })
    const { memory_id: id } = await host.call('memory.get', { namespace: 'local', agent: 'ops-bot', memory_key: 'payments/retry' })
    const page = await host.open()
    await page.goto(`${host.url}/#/local/graph/${String(id)}`)
    await eventually(() => chosen(page).textContent()).toContain('payments/retry')
    await canvas(page).locator('canvas').first().waitFor()
    for (const text of ['docs/rollback', 'payments/owner', 'payments/region', 'مدفوعات']) await node(page, text).waitFor()
    await list(page)
      .getByRole('option', { name: /^payments Entity/ })
      .waitFor()
    const linked = details(page).getByRole('region', { name: 'Linked' })
    await eventually(() => linked.textContent()).toContain('docs/rollback')
    await eventually(() => linked.textContent()).toContain('depends on')
    await eventually(() => details(page).getByRole('region', { name: 'By an entity' }).textContent()).toContain('payments')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await violations(page)).toEqual([])
      await shot(page, `graph-${colorScheme}`)
    }
  })

  test('is walked through by keys, from neighbour to neighbour, and opened in Memories', async () => {
    const page = await graph(host)
    await chosen(page).waitFor()
    await canvas(page).locator('canvas').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('retry')
    await page.keyboard.press('Enter')
    await eventually(() => list(page).getByRole('option').count()).toBe(1)
    await page.keyboard.press('ArrowDown')
    await eventually(() => chosen(page).textContent()).toContain('payments/retry')
    await page.keyboard.press('Escape')
    await canvas(page).focus()
    const walked = new Set([await chosen(page).textContent()])
    for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowDown']) {
      await page.keyboard.press(key)
      walked.add(await chosen(page).textContent())
    }
    expect(walked.size).toBeGreaterThan(2)
    for (const key of ['+', '+', '-', '0']) await page.keyboard.press(key)
    // Into the list: to a memory, and out to where it is read.
    await list(page).focus()
    await page.keyboard.press('Home')
    for (let at = 1; /Entity/.test((await chosen(page).textContent()) ?? ''); at++) {
      await page.keyboard.press('ArrowDown')
      await eventually(() => chosen(page).getAttribute('aria-posinset')).toBe(String(at + 1))
    }
    const key = (await chosen(page).locator('code').textContent()) ?? ''
    await page.keyboard.press('Enter')
    await eventually(() => page.title()).toBe(`${key} · Loom`)
  })

  test('of a whole namespace has the entities that memories share, and goes on around a chosen one', async () => {
    const page = await graph(host)
    await page.getByRole('button', { name: /^What is shown/ }).click()
    await page.getByRole('menuitemradio', { name: 'Whole namespace' }).click()
    // Eight memories; berlin, payments and lena fischer.
    await eventually(() => page.locator('.graph-list .meta').textContent()).toContain('11 nodes')
    await node(page, 'office/berlin/door').click()
    await eventually(() => details(page).textContent()).toContain('The door code in Berlin')
    await shot(page, 'graph-whole')
    await details(page).getByRole('button', { name: 'Look around it' }).click()
    await eventually(() => chosen(page).textContent()).toContain('office/berlin/door')
    await eventually(() => node(page, 'office/berlin/hours').count()).toBe(1)
    await host.call('memory.set', {
      namespace: 'local',
      memory_key: 'office/berlin/lift',
      value: 'The lift in Berlin is out.',
      entities: ['berlin'],
    })
    await page.getByRole('button', { name: 'Changed. Read again' }).click()
    await eventually(() => node(page, 'office/berlin/lift').count()).toBe(1)
    await page.goto(`${host.url}/#/local/graph/01900000-0000-7000-8000-000000000000`)
    await page.getByRole('heading', { name: 'It is not here any more' }).waitFor()
    await page.getByRole('button', { name: 'Begin at the newest memory' }).click()
    await eventually(() => chosen(page).textContent()).toContain('office/berlin/lift')
  })

  test('is readable mirrored and in a narrow window, where the list leads to the picture', async () => {
    const page = await graph(host)
    await chosen(page).waitFor()
    await page.evaluate(() => (document.documentElement.dir = 'rtl'))
    expect(await violations(page)).toEqual([])
    await shot(page, 'graph-rtl')
    await page.evaluate(() => (document.documentElement.dir = 'ltr'))
    await page.setViewportSize({ width: 1000, height: 700 })
    expect(await violations(page)).toEqual([])
    await shot(page, 'graph-1000')
    for (const [width, height] of [
      [400, 800],
      [320, 400],
    ] as const) {
      await page.setViewportSize({ width, height })
      await node(page, 'office/berlin').first().click()
      await details(page).waitFor()
      await eventually(() => sideways(page, '.graph-canvas')).toBe(0)
      expect(await violations(page)).toEqual([])
      await shot(page, `graph-${width}`)
      await page.locator('.topbar').getByRole('button', { name: /Graph/ }).click()
      await list(page).waitFor()
      expect(await violations(page)).toEqual([])
    }
  })
})
