import type { ElectronApplication, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchHome } from '../helpers/headless.ts'
import { electron, needs } from '../helpers/requirements.ts'
import { call, launch, mainWindows, ready, type Bridge } from './electron-window.ts'
import { eventually, untilFocused } from './eventually.ts'
import { shot, violations } from './page-checks.ts'

let home: string
let drop: () => Promise<void>
let app: ElectronApplication
let page: Page

const isHeld = (keys: string) => app.evaluate(({ globalShortcut }, name) => globalShortcut.isRegistered(name), keys)
const section = () => page.getByRole('region', { name: 'Section' })
const stateOf = async () => (await call(page, 'shell.state')).value as { shortcuts: { write: string; search: string } } | undefined

describe('Loom in the system', needs(electron()), () => {
  beforeAll(async () => {
    ;({ home, drop } = await scratchHome())
    ;({ app, page } = await launch(home))
    await ready(page)
    // Past the steps of a first start.
    await call(page, 'memory.set', { memory_key: 'kettle', value: 'The kettle is blue.' })
    await page.reload()
  }, 120_000)
  afterAll(async () => {
    await app.close()
    await drop()
  })

  test('holds its two shortcuts, and goes on where the system has no tray', async () => {
    await eventually(() => isHeld('CommandOrControl+Shift+M')).toBe(true)
    await eventually(() => isHeld('CommandOrControl+Shift+Space')).toBe(true)
    expect(await call(page, 'engine.info')).toMatchObject({ ok: true })
  })

  test('keys are changed, turned off and put back in Settings, by pressing them', async () => {
    await page.evaluate(() => (location.hash = '/local/settings/desktop'))
    await section().getByRole('heading', { name: 'Shortcuts and tray' }).waitFor()
    await eventually(() => section().getByText('Ctrl Shift M works in every app.').count()).toBe(1)
    expect(await violations(page, true)).toEqual([])
    await shot(page, 'settings-desktop')
    await section().getByRole('button', { name: 'Change: Write a memory' }).click()
    await untilFocused(page, 'input')
    await page.keyboard.press('Control+Alt+k')
    await eventually(() => isHeld('CommandOrControl+Alt+K')).toBe(true)
    await eventually(() => isHeld('CommandOrControl+Shift+M')).toBe(false)
    await eventually(() => section().getByText('Ctrl Alt K works in every app.').count()).toBe(1)
    await section().getByRole('button', { name: 'Turn off: Write a memory' }).click()
    await eventually(async () => (await stateOf())?.shortcuts.write).toBe('off')
    await eventually(() => isHeld('CommandOrControl+Alt+K')).toBe(false)
    await section().getByRole('button', { name: 'Back to Ctrl Shift M: Write a memory' }).click()
    await eventually(() => isHeld('CommandOrControl+Shift+M')).toBe(true)
  })

  test('says in words that the keys are taken by another', async () => {
    // Taken in this process, as far as the system's own answer goes the same: they are not to be had.
    await call(page, 'settings.set', { values: { 'ui.shortcut_write': '' } })
    await eventually(async () => (await stateOf())?.shortcuts.write).toBe('off')
    await app.evaluate(({ globalShortcut }) => globalShortcut.register('CommandOrControl+Shift+J', () => {}))
    await call(page, 'settings.set', { values: { 'ui.shortcut_write': 'Mod+Shift+J' } })
    await eventually(async () => (await stateOf())?.shortcuts.write).toBe('taken')
    await eventually(() =>
      section()
        .getByText(/Ctrl Shift J is taken by another app or by the system/)
        .count(),
    ).toBe(1)
    await shot(page, 'settings-desktop-taken')
    await app.evaluate(({ globalShortcut }) => globalShortcut.unregister('CommandOrControl+Shift+J'))
    await call(page, 'settings.set', { values: { 'ui.shortcut_write': null } })
  })

  test('a setting that is no shortcut is refused', async () => {
    for (const keys of ['M', 'Shift+M', 'Mod+', 'Mod+Shift', 'Mod+Mod+M', 'Mod+Shift+é', 'Mod+Shift+M\0'])
      expect(await call(page, 'settings.set', { values: { 'ui.shortcut_write': keys } })).toMatchObject({
        ok: false,
        error: { code: 'INVALID_ARGUMENT' },
      })
  })

  test('a call of the shell that is none, or takes no such thing, is refused', async () => {
    for (const [name, input] of [
      ['shell.open', { route: 'https://example.com/' }],
      ['shell.open', { route: `/${'x'.repeat(3000)}` }],
      ['shell.recover', { do: 'fresh' }],
      ['shell.recover', { do: 'everything' }],
      ['shell.standing', { words: 7 }],
    ] as const)
      expect(await call(page, name, input)).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT' } })
    expect(await call(page, 'shell.quit')).toMatchObject({ ok: false, error: { code: 'UNKNOWN_OPERATION' } })
  })

  test('a place that is asked for is shown in the main window, which comes back when it was closed', async () => {
    await call(page, 'shell.open', { route: '/local/review' })
    await eventually(() => page.url()).toBe('app://loom/#/local/review')
    await call(page, 'settings.set', { values: { 'ui.keep_running': true } })
    const has = await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
    expect(has).toBeGreaterThan(0)
    await eventually(() => app.windows().some((one) => one.url().includes('/write'))).toBe(true)
    const quick = app.windows().find((one) => one.url().includes('/write')) as Page
    await page.close()
    await quick.evaluate(() => (window as unknown as { loom: Bridge }).loom.call('shell.open', { route: '//settings/team' }))
    await eventually(() => mainWindows(app).length).toBe(1)
    page = mainWindows(app)[0] as Page
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    await ready(page)
  })
})
