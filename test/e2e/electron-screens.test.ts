import type { ElectronApplication, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchHome } from '../helpers/headless.ts'
import { electron, needs } from '../helpers/requirements.ts'
import { call, launch, ready } from './electron-window.ts'
import { eventually } from './eventually.ts'
import { shot } from './page-checks.ts'

const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()
const TOLD = [
  { memory_key: 'payments/owner', value: 'Priya Nair owns payments.', valid_at: ago(120), entities: ['payments'] },
  { memory_key: 'payments/owner', value: 'Lena Fischer owns payments.', valid_at: ago(40), entities: ['payments'] },
  { memory_key: 'payments/region', value: 'Payments run in eu-central-1.', entities: ['payments'] },
]

/** What a page served by the app itself may do differently than one that a browser loads: its scheme, its workers, its channel. */
describe('the timeline and the graph in the desktop app', needs(electron()), () => {
  let drop: () => Promise<void>
  let app: ElectronApplication
  let page: Page
  const faults: string[] = []
  beforeAll(async () => {
    const scratch = await scratchHome()
    drop = scratch.drop
    ;({ app, page } = await launch(scratch.home))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text().slice(0, 200)))
    page.on('pageerror', (error) => faults.push(error.message))
    await ready(page)
    for (const claim of TOLD) expect(await call(page, 'memory.set', claim)).toMatchObject({ ok: true })
  }, 120_000)
  afterAll(async () => {
    await app?.close()
    await drop?.()
  })

  test('a day is turned back to, with both answers', async () => {
    await page.goto('app://loom/#/local/timeline')
    const keys = page.getByRole('listbox', { name: 'Keys over time' })
    await keys.getByRole('option').filter({ hasText: 'payments/owner' }).click()
    const truth = page.locator('.answer').first()
    await eventually(() => truth.textContent()).toContain('Lena Fischer owns payments.')
    for (let month = 0; month < 2; month++) await page.keyboard.press('Shift+ArrowLeft')
    await eventually(() => truth.textContent()).toContain('Priya Nair owns payments.')
    await shot(page, 'electron-timeline')
    expect(faults.splice(0)).toEqual([])
  })

  test('the graph is arranged by its worker, and walked through', async () => {
    await page.goto('app://loom/#/local/graph')
    const list = page.getByRole('listbox', { name: 'Nodes of the graph' })
    await eventually(() => list.getByRole('option').count()).toBe(3)
    const canvas = page.getByRole('application', { name: 'The graph drawn' })
    await canvas.locator('canvas').first().waitFor()
    const chosen = () => list.getByRole('option', { selected: true }).textContent()
    const before = await chosen()
    await canvas.focus()
    // In one of the four directions there is a neighbour.
    const directions = ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown']
    await eventually(async () => {
      if ((await chosen()) === before) await page.keyboard.press(directions[0] ?? '')
      directions.push(directions.shift() ?? '')
      return chosen()
    }).not.toBe(before)
    await shot(page, 'electron-graph')
    expect(faults.splice(0)).toEqual([])
  })
})
