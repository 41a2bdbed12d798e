import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { chosen, row, seed, startBrowserHost, type BrowserHost } from './browser-window.ts'
import { eventually, untilFocused } from './eventually.ts'

const withHost = async (settings: Record<string, string>, use: (host: BrowserHost) => Promise<void>): Promise<void> => {
  await using host = await startBrowserHost(settings)
  await use(host)
}

describe('the window when things are not as they should be', needs(chromium()), () => {
  test('an empty Loom says what to do first', () =>
    withHost({}, async (host) => {
      const page = await host.open()
      await page.getByRole('heading', { name: 'Nothing remembered yet' }).waitFor()
      await page.getByRole('link', { name: 'Connect', exact: true }).waitFor()
      await page.locator('.ways').getByRole('button', { name: 'Write' }).click()
      await untilFocused(page, 'textarea')
      await page.keyboard.type('The office in Berlin opens at eight.')
      await page.keyboard.press('Control+Enter')
      await eventually(() => chosen(page).textContent()).toContain('office/berlin')
      expect(host.faults).toEqual([])
    }))

  test('with no meaning model it searches by words, and says so', () =>
    withHost({ LOOM_EMBEDDING_MODEL: '/nowhere/no-model' }, async (host) => {
      await seed(host)
      const page = await host.open()
      await page.getByText('Words only, no model').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('rollback payments')
      await page.getByText('Searching by words').waitFor()
      await page.getByText(/results?, by words/).waitFor()
      await row(page, 'runbook/rollback').waitFor()
      expect(host.faults).toEqual([])
    }))

  test('when Loom goes away, what is shown stays, and it goes on when Loom is back', () =>
    withHost({}, async (host) => {
      await seed(host)
      const page = await host.open()
      await row(page, 'service/limits').waitFor()
      await host.kill()
      await page.keyboard.press('/')
      await page.keyboard.type('berlin')
      await page.getByText('The list could not be read again').waitFor()
      expect(await row(page, 'service/limits').count()).toBe(1)
      await page.getByText('Loom does not answer', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('The list could not be read again').waitFor()
      await host.restart()
      await row(page, 'office/berlin/hours').waitFor()
      await page.getByText(/memories held/).waitFor()
      // The events are followed again, too.
      await host.call('memory.set', {
        namespace: 'local',
        memory_key: 'berlin/door',
        value: 'The door code in Berlin is changed every May.',
      })
      await row(page, 'berlin/door').waitFor()
    }))
})
