import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { said, section, sharedHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

describe('backups and settings in the window', needs(chromium()), () => {
  const host = sharedHost((fresh) =>
    fresh.call('memory.set', { namespace: 'local', memory_key: 'office/berlin/hours', value: 'The office in Berlin opens at eight.' }),
  )

  async function open(name: 'Backups' | 'This computer', options = {}): Promise<Page> {
    const page = await host.open(options)
    await page.keyboard.press('Control+7')
    await page.getByRole('link', { name }).click()
    await section(page).getByRole('heading', { name, level: 1 }).waitFor()
    return page
  }

  test('makes a backup, lists it, and restores it after it was said what that does', async () => {
    const page = await open('Backups')
    await page.getByText('There is no backup yet').waitFor()
    await page.getByRole('textbox', { name: 'What it is for' }).fill('before the clean-up')
    await page.getByRole('button', { name: 'Make a backup' }).click()
    await eventually(() => said(page).textContent()).toMatch(/^A backup was made: [\d.]+ MB/)
    const line = page.getByRole('row').filter({ hasText: 'By you' })
    await line.waitFor()
    await eventually(() => line.textContent()).toMatch(/By you.*MB/)

    await host.call('memory.set', { namespace: 'local', memory_key: 'office/paris/hours', value: 'The office in Paris opens at nine.' })
    await line.getByRole('button', { name: /^Restore the backup of/ }).click()
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('checkbox')
    expect(await violations(page)).toEqual([])
    await shot(page, 'settings-restore-light')
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await eventually(() => page.getByRole('alert').textContent()).toBe('Tick the box first.')
    await page.keyboard.press('Escape')
    await eventually(() => page.getByRole('checkbox').count()).toBe(0)
    await line.getByRole('button').click()
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await eventually(() => said(page).textContent()).toContain('Restored: 1 memory.')
    await page.getByRole('row').filter({ hasText: 'Before a restore of “before the clean-up”' }).waitFor()
    expect(await host.call('memory.get', { namespace: 'local', memory_key: 'office/paris/hours' })).toMatchObject({ found: false })
    // What a poll met while nothing answered was told, and is over.
    host.faults.splice(0, host.faults.length, ...host.faults.filter((fault) => !fault.includes('503')))
  })

  test('a setting is saved when it is sent, refused with the reason, and the same everywhere', async () => {
    const page = await open('Backups')
    const keep = page.getByRole('textbox', { name: 'Backups kept' })
    await keep.fill('51')
    await page.keyboard.press('Enter')
    await eventually(() => page.getByRole('alert').textContent()).toContain('backup.keep: it must be a whole number from 1 to 50.')
    await keep.fill('14')
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(() => said(page).textContent()).toContain('Backups kept: saved.')
    expect(await host.call('settings.get', { keys: ['backup.keep'] })).toMatchObject({ settings: [{ value: 14 }] })
    await host.call('settings.set', { values: { 'backup.keep': 5 } })
    await eventually(() => keep.inputValue()).toBe('5')
  })

  test('the theme is the computer’s: another window takes it up', async () => {
    const [one, other] = [await open('This computer'), await host.open()]
    await one.getByRole('link', { name: 'Appearance and keys' }).click()
    await one.getByText('Dark', { exact: true }).click()
    await eventually(() => other.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await host.call('settings.set', { values: { 'ui.theme': 'light' } })
    await eventually(() => one.evaluate(() => document.documentElement.dataset['theme'])).toBe('light')
    await host.call('settings.set', { values: { 'ui.theme': null } })
  })

  test('says where memory lives, how much room it takes, and what is fixed by the environment', async () => {
    const page = await open('This computer')
    const port = page.getByRole('textbox', { name: 'Port' })
    await port.waitFor()
    const text = () => section(page).textContent()
    await eventually(text).toMatch(/It holds1 memory, 1 version\D/)
    await eventually(text).toMatch(/Database[\d.]+ MB/)
    await eventually(text).toContain('Writes reach the disk')
    // LOOM_PORT is set where these tests run.
    await eventually(() => port.getAttribute('readonly')).not.toBeNull()
    await eventually(text).toContain('Set by the environment')
    await page.getByRole('group', { name: 'Agents may connect over MCP' }).getByText('Off').click()
    await eventually(() => said(page).textContent()).toContain('Start Loom again for it to take effect.')
    await host.call('settings.set', { values: { 'server.mcp': null } })
  })

  test.each(['light', 'dark'] as const)('axe finds nothing, and nothing runs out sideways: %s', async (colorScheme) => {
    for (const name of ['Backups', 'This computer'] as const) {
      const page = await open(name, { colorScheme })
      await eventually(() => section(page).getByRole('textbox').count()).toBeGreaterThan(1)
      expect(await violations(page)).toEqual([])
      const file = name === 'Backups' ? 'backups' : 'computer'
      await shot(page, `settings-${file}-${colorScheme}`)
      await page.setViewportSize({ width: 390, height: 800 })
      await eventually(() => sideways(page)).toBe(0)
      expect(await violations(page)).toEqual([])
      await shot(page, `settings-${file}-narrow-${colorScheme}`)
    }
  })
})
