import { describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { chromium, needs } from '../helpers/requirements.ts'
import { readyAndSeeded, sharedHost, title } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

const answer = (page: Page) => page.getByRole('region', { name: 'Answer' })

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('combobox').fill(question)
  await page.getByRole('button', { name: 'Answer this from memory' }).press('Enter')
}

describe('asking memory in the window', needs(chromium()), () => {
  const host = sharedHost(readyAndSeeded)

  test('answers with what is held; each source opens its memory', async () => {
    const page = await host.open()
    await ask(page, 'when does the Berlin office open?')
    await eventually(() => answer(page).textContent()).toContain('The office in Berlin opens at eight. [1]')
    await answer(page).getByRole('button', { name: '[1] office/berlin/hours' }).click()
    await eventually(() => title(page).textContent()).toBe('The office in Berlin opens at eight.')
    // Another question is asked anew, by a person.
    await page.getByRole('combobox').fill('who is on call at night')
    await page.getByRole('button', { name: 'Answer this from memory' }).waitFor()
    await eventually(() => answer(page).count()).toBe(0)
  })

  test('says why there is no answer, and counts as no recall', async () => {
    const page = await host.open()
    await ask(page, 'zygomorphic arch')
    await eventually(() => answer(page).textContent()).toContain('Nothing in memory is near this question.')
    await eventually(() => answer(page).evaluate((place) => place === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Close the answer' }).press('Enter')
    await eventually(() => answer(page).count()).toBe(0)
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Answer this from memory')
    expect(await host.call('memory.get', { memory_key: 'office/berlin/hours' })).toMatchObject({ recall_count: 0 })
  })

  test('axe in both themes, and 320 pixels', async () => {
    for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 320, height: 640 } }] as const) {
      const page = await host.open(options)
      await ask(page, 'when do production deploys run?')
      await eventually(() => answer(page).getByRole('button').count()).toBeGreaterThan(1)
      if ('colorScheme' in options) expect(await violations(page)).toEqual([])
      await eventually(() => sideways(page)).toBe(0)
      await shot(page, `ask-${'viewport' in options ? '320' : options.colorScheme}`)
      await page.context().close()
    }
  })
})
