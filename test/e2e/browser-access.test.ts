import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { reader, readyAndSeeded, row, openWrite, sharedHost, title, verdict } from './browser-window.ts'
import { eventually, untilFocused } from './eventually.ts'
import { sideways, violations } from './page-checks.ts'

const NARROW = { viewport: { width: 320, height: 640 } }

/** A block of code scrolls by itself. */
const sidewaysBy = (page: Page): Promise<number> => sideways(page, 'pre, .topbar kbd')

/** Targets under 28 px high; links within a sentence are as high as their line. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button:not(.link), select, input:not([type=radio])')]
      .filter((element) => element.checkVisibility() && !element.closest('.search, .tags-input, [inert], [aria-hidden=true]'))
      .filter((element) => element.getBoundingClientRect().height > 0 && element.getBoundingClientRect().height < 27.5)
      .map((element) => element.outerHTML.slice(0, 120)),
  )

async function openAppearance(page: Page): Promise<void> {
  await page.keyboard.press('Control+7')
  await page.getByRole('link', { name: 'Appearance and keys' }).click()
}

describe('the window for everybody', needs(chromium()), () => {
  const host = sharedHost(async (fresh) => {
    await readyAndSeeded(fresh)
    await fresh.call('memory.set', {
      namespace: 'local',
      agent: 'lena',
      memory_key: 'office/hours',
      value: 'The office in Berlin opens at ten.',
    })
  })

  test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme', async (colorScheme) => {
    const page = await host.open({ colorScheme, reducedMotion: 'reduce' })
    await row(page, 'office/hours').click()
    await reader(page)
      .getByRole('region', { name: /^Conflicts/ })
      .waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('/')
    await page.keyboard.type('when do we deploy')
    await page.getByText('by meaning and words').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await openWrite(page)
    await page.keyboard.type('The office in Berlin opens at nine.')
    await eventually(() => verdict(page).textContent()).toMatch(/^Conflict/)
    await page.keyboard.press('Alt+o')
    expect(await violations(page)).toEqual([])
  })

  test('both themes are as the system says, until the person says otherwise', async () => {
    const page = await host.open({ colorScheme: 'dark' })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await eventually(ground).toBe('rgb(23, 22, 20)')
    await page.emulateMedia({ colorScheme: 'light' })
    await eventually(ground).toBe('rgb(250, 249, 247)')
    await openAppearance(page)
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
    await eventually(ground).toBe('rgb(23, 22, 20)')
    await page.reload()
    await eventually(ground).toBe('rgb(23, 22, 20)')
  })

  test('at 320 px nothing is cut off or needs a sideways scroll', async () => {
    const page = await host.open(NARROW)
    await row(page, 'office/hours').waitFor()
    await eventually(() => sidewaysBy(page)).toBe(0)
    await eventually(() => smallTargets(page)).toEqual([])
    await row(page, 'office/hours').click()
    await reader(page)
      .getByRole('region', { name: /^Conflicts/ })
      .waitFor()
    await eventually(() => sidewaysBy(page)).toBe(0)
    await eventually(() => smallTargets(page)).toEqual([])
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Next' }).click()
    await eventually(() => title(page).textContent()).toContain('Production deploys')
    await page.goBack()
    await row(page, 'office/hours').waitFor()
    await page.getByRole('button', { name: 'Write' }).click()
    await untilFocused(page, 'textarea')
    await page.keyboard.type('The office in Berlin opens at nine.')
    await eventually(() => verdict(page).textContent()).toMatch(/^Conflict/)
    await eventually(() => sidewaysBy(page)).toBe(0)
    await eventually(() => smallTargets(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^local/ })
      .waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('on one pane the way back leads to the same row and place', async () => {
    const page = await host.open({ viewport: { width: 700, height: 420 } })
    await row(page, 'office/berlin/hours').scrollIntoViewIfNeeded()
    const place = () => page.getByRole('listbox').evaluate((list) => list.scrollTop)
    await eventually(place).toBeGreaterThan(0)
    const before = await place()
    await row(page, 'office/berlin/hours').click()
    await eventually(() => title(page).textContent()).toContain('eight')
    await page.keyboard.press('Escape')
    await row(page, 'office/berlin/hours').waitFor()
    // Rows drawn meanwhile may turn out a pixel or two higher than guessed.
    await eventually(async () => Math.abs((await place()) - before)).toBeLessThan(10)
  })

  test('right to left the window mirrors, and each claim keeps its direction', async () => {
    const page = await host.open({ locale: 'ar-EG' })
    await row(page, 'دعم').waitFor()
    await openAppearance(page)
    await page.getByRole('radio', { name: 'Right to left' }).check({ force: true })
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Control+1')
    await row(page, 'دعم').waitFor()
    const box = async (selector: string) => (await page.locator(selector).boundingBox()) ?? { x: 0 }
    expect((await box('.nav')).x).toBeGreaterThan((await box('.list-pane')).x)
    expect((await box('.list-pane')).x).toBeGreaterThan((await box('.reader-pane')).x)
    const directions = await page.locator('.row .v').evaluateAll((values) => values.map((value) => getComputedStyle(value).direction))
    expect(new Set(directions)).toEqual(new Set(['ltr', 'rtl']))
    expect(await violations(page)).toEqual([])
    await eventually(() => sidewaysBy(page)).toBe(0)
  })

  test('without motion for those who ask for none', async () => {
    const page = await host.open({ reducedMotion: 'reduce' })
    const duration = await page.getByRole('button', { name: 'Write' }).evaluate((button) => getComputedStyle(button).transitionDuration)
    expect(new Set(duration.split(', '))).toEqual(new Set(['0s']))
  })

  test('single letters can be turned off, and never act inside a field', async () => {
    const page = await host.open()
    await page.keyboard.press('/')
    await page.keyboard.type('new')
    await eventually(() => page.getByRole('combobox', { name: 'Search' }).inputValue()).toBe('new')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await openAppearance(page)
    await page.getByRole('radio', { name: 'Off' }).check({ force: true })
    await page.keyboard.press('Control+1')
    await row(page, 'office/hours').waitFor()
    await page.keyboard.press('n')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})
