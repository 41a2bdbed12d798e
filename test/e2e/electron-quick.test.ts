import type { ElectronApplication, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { scratchHome } from '../helpers/headless.ts'
import { electron, needs } from '../helpers/requirements.ts'
import { call, launch, ready } from './electron-window.ts'
import { eventually, PATIENCE, untilFocused } from './eventually.ts'
import { shot, violations } from './page-checks.ts'

let home: string
let drop: () => Promise<void>
let app: ElectronApplication
let page: Page

/** Presses the keys of the system: what Electron would call when they are pressed in another app. */
const press = (what: 'write' | 'search') =>
  app.evaluate(
    ({ Menu }, label) => {
      const file = Menu.getApplicationMenu()?.items.find((item) => item.label === 'File')
      file?.submenu?.items.find((item) => item.label === label)?.click()
    },
    what === 'write' ? 'Write a memory' : 'Quick search',
  )

async function quick(what: 'write' | 'search' = 'write'): Promise<Page> {
  await press(what)
  const find = () => app.windows().find((one) => one.url().startsWith('app://loom/write'))
  await eventually(find).toBeDefined()
  const shown = find() as Page
  await eventually(isVisible).toBe(true)
  await untilFocused(shown, what === 'write' ? 'textarea' : '[role=combobox]')
  return shown
}
const isVisible = () =>
  app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().some((one) => one.webContents.getURL().startsWith('app://loom/write') && one.isVisible()),
  )
const verdict = (shown: Page) => shown.getByRole('region', { name: 'Verdict' }).locator('.vh')

describe('the small window', needs(electron()), () => {
  beforeAll(async () => {
    ;({ home, drop } = await scratchHome())
    ;({ app, page } = await launch(home))
    await ready(page)
    await call(page, 'memory.set', {
      memory_key: 'deploy/window/prod',
      value: 'Production deploys run Tuesday and Thursday only; never Friday.',
    })
    await vi.waitFor(async () => expect((await call(page, 'engine.info')).value?.['embedder']).toMatchObject({ state: 'ready' }), {
      timeout: PATIENCE,
      interval: 200,
    })
  }, 120_000)
  afterAll(async () => {
    await app.close()
    await drop()
  })

  test('comes over any app with the cursor in the text, judges while one types, saves by keys and goes', async () => {
    const shown = await quick()
    await eventually(() => shown.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('The claim')
    expect(await violations(shown, true)).toEqual([])
    await shown.keyboard.type('Production deploys run Monday to Thursday.')
    await eventually(() => verdict(shown).textContent()).toMatch(/^Conflict with one memory/)
    await shot(shown, 'quick-conflict')
    expect(await call(page, 'memory.list', { text: 'Monday' })).toMatchObject({ value: { rows: [] } })
    await shown.keyboard.press('Control+a')
    await shown.keyboard.type('The on-call phone moves to Aylin in December.')
    await eventually(() => verdict(shown).textContent()).toMatch(/^Clear/)
    await shot(shown, 'quick-clear')
    await shown.keyboard.press('Control+Enter')
    await eventually(isVisible).toBe(false)
    await eventually(async () => (await call(page, 'memory.list', { text: 'Aylin' })).value?.['rows']).toHaveLength(1)
    // The next one begins empty, and says what was done last, with its way back.
    await quick()
    await eventually(() => shown.getByLabel('The claim').inputValue()).toBe('')
    await shown.getByRole('button', { name: /^Undo/ }).click()
    await eventually(async () => (await call(page, 'memory.list', { text: 'Aylin' })).value?.['rows']).toEqual([])
    await shown.keyboard.press('Escape')
    await eventually(isVisible).toBe(false)
  })

  test('keeps a draft over Escape and a start, and a secret over neither save nor start', async () => {
    let shown = await quick()
    await shown.keyboard.type('The wall in the hall is green')
    await shown.keyboard.press('Escape')
    await eventually(isVisible).toBe(false)
    await app.close()
    ;({ app, page } = await launch(home))
    await ready(page)
    shown = await quick()
    await eventually(() => shown.getByLabel('The claim').inputValue()).toBe('The wall in the hall is green')
    await shown.getByLabel('The claim').fill('The staging database password is violet-harbour-41.')
    await shown.keyboard.press('Control+Enter')
    await eventually(() => shown.getByLabel('The claim').inputValue()).toBe('The staging database password is [kept elsewhere].')
    await shown.getByLabel('The claim').fill('The staging database password is violet-harbour-41.')
    await shot(shown, 'quick-secret')
    await shown.keyboard.press('Escape')
    expect(await call(page, 'memory.list', { text: 'staging' })).toMatchObject({ value: { rows: [] } })
    await app.close()
    ;({ app, page } = await launch(home))
    await ready(page)
    shown = await quick()
    await eventually(() => shown.getByLabel('The claim').inputValue()).toBe('')
    await shown.keyboard.press('Escape')
  })

  test('quick search finds one and opens it in the main window', async () => {
    const shown = await quick('search')
    await shown.keyboard.type('deploys')
    await eventually(() => shown.getByRole('option').count()).toBe(1)
    await shot(shown, 'quick-search')
    expect(await violations(shown, true)).toEqual([])
    await shown.keyboard.press('Enter')
    await eventually(isVisible).toBe(false)
    await eventually(() => page.getByRole('region', { name: 'Memory' }).getByRole('heading', { level: 1 }).textContent()).toContain(
      'Production deploys',
    )
  })
})
