import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const shots = process.env['LOOM_SHOTS']

/** Until nothing moves or fades any more: colours on their way are those of neither state. What goes round for ever is not waited for. */
const atRest = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const ends = (one: Animation): boolean => Number(one.effect?.getComputedTiming().endTime) < 10_000
    const moving = (): Animation[] => document.getAnimations().filter((one) => one.playState === 'running' && ends(one))
    for (let all = moving(); all.length > 0; all = moving()) await Promise.allSettled(all.map((one) => one.finished))
  })

/**
 * What axe finds wrong with the page, a line a rule.
 * @param isElectron a window of Electron opens no second page for axe to work in
 */
export async function violations(page: Page, isElectron = false): Promise<string[]> {
  await atRest(page)
  const { violations: found } = await new AxeBuilder({ page }).setLegacyMode(isElectron).analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
}

/** Pixels that something runs out of the window at its right; parts that scroll or are hidden by themselves do not count, nor do `except`. */
export const sideways = (page: Page, except = ''): Promise<number> =>
  page.evaluate(
    (apart) =>
      Math.max(
        0,
        ...[...document.querySelectorAll('body, body *')]
          .filter((element) => !element.closest(apart))
          .map((element) => element.getBoundingClientRect().right - innerWidth),
      ),
    `.sr, .row, svg${except && `, ${except}`}`,
  )

/** A picture for people to look at, where `LOOM_SHOTS` names a folder. */
export async function shot(page: Page, name: string): Promise<void> {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` })
}
