import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { chromium, needs } from '../helpers/requirements.ts'
import { eventually, modelsReady, seed, startBrowserHost, title, type BrowserHost } from './browser-window.ts'
import { shot, sideways, violations } from './page-checks.ts'

const answer = (page: Page) => page.getByRole('region', { name: 'Answer' })

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('combobox').fill(question)
  await page.getByRole('button', { name: 'Answer this from memory' }).press('Enter')
}

describe('asking memory in the window', needs(chromium()), () => {
  let host: BrowserHost
  beforeAll(async () => {
    host = await startBrowserHost()
    await modelsReady(host)
    await seed(host)
  }, 120_000)
  afterAll(() => host?.[Symbol.asyncDispose]())
  afterEach(() => expect(host.faults.splice(0)).toEqual([]))

  test('answers with what is held; each source opens its memory', async () => {
    const page = await host.open()
    await ask(page, 'when does the Berlin office open?')
    await eventually(() => answer(page).textContent()).toContain('The office in Berlin opens at eight. [1]')
    await answer(page).getByRole('button', { name: '[1] office/berlin/hours' }).click()
    await eventually(() => title(page).textContent()).toBe('The office in Berlin opens at eight.')
    // Another question is asked anew, by a person.
    await page.getByRole('combobox').fill('who is on call at night')
    await page.getByRole('button', { name: 'Answer this from memory' }).waitFor()
    expect(await answer(page).count()).toBe(0)
    await page.context().close()
  })

  test('says why there is no answer, and counts as no recall', async () => {
    const page = await host.open()
    await ask(page, 'zygomorphic arch')
    await eventually(() => answer(page).textContent()).toContain('Nothing in memory is near this question.')
    expect(await answer(page).evaluate((place) => place === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Close the answer' }).press('Enter')
    await eventually(() => answer(page).count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Answer this from memory')
    expect(await host.call('memory.get', { memory_key: 'office/berlin/hours' })).toMatchObject({ recall_count: 0 })
    await page.context().close()
  })

  test('axe in both themes, and 320 pixels', { timeout: 60_000 }, async () => {
    for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 320, height: 640 } }] as const) {
      const page = await host.open(options)
      await ask(page, 'when do production deploys run?')
      await eventually(() => answer(page).getByRole('button').count()).toBeGreaterThan(1)
      if ('colorScheme' in options) expect(await violations(page)).toEqual([])
      expect(await sideways(page)).toBe(0)
      await shot(page, `ask-${'viewport' in options ? '320' : options.colorScheme}`)
      await page.context().close()
    }
  })
})
