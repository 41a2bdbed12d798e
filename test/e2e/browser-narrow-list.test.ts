import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { row, seed, startBrowserHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

describe('the list alone, 320 px wide', needs(chromium()), () => {
  test('has one heading of its own, nothing sideways, and nothing for axe, in both themes', async () => {
    await using host = await startBrowserHost({})
    await seed(host)
    const page = await host.open()
    await row(page, 'service/limits').waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    await page.getByRole('heading', { level: 1, name: 'Memories' }).waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
      expect(await sideways(page)).toBeLessThan(1)
      await shot(page, `list-320-${colorScheme}`)
    }
    // The reader brings the heading of its memory; never two at once.
    await row(page, 'service/limits').click()
    await eventually(() => page.getByRole('heading', { level: 1 }).count()).toBe(1)
    expect(await violations(page)).toEqual([])
    await shot(page, 'reader-320')
    expect(host.faults).toEqual([])
  })
})
