import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { modelsReady, pane, row, said, sharedHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { violations } from './page-checks.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'

const tab = (page: Page, name: string) => page.getByRole('tab', { name })
const button = (page: Page, name: string) => pane(page).getByRole('button', { name })

describe('proposals in the browser', needs(chromium()), () => {
  const host = sharedHost(async (fresh) => {
    await modelsReady(fresh)
    await fresh.call('memory.set', { memory_key: 'deploy/window/prod', value: HELD, agent: 'ops-bot' })
  })
  const propose = (memory_key: string, value: string, more: object = {}) =>
    host.call('memory.set', { memory_key, value, proposed: true, agent: 'ops-bot', ...more })
  const status = async (memory_key: string) => (await host.call('memory.get', { memory_key, include_proposed: true }))['status']
  const total = async (op: 'memory.proposals' | 'conflicts.list') => (await host.call(op, {}))['total']

  async function queue(): Promise<Page> {
    const page = await host.open()
    await page.goto(`${host.url}/admin/review_queue`)
    await tab(page, 'Proposals').click()
    return page
  }

  test('[PRO016, PRO020, PRO021] /admin/review_queue accepts and rejects them on a tab, and what one contradicts goes to the other', async () => {
    await propose('ops/deploys', AGAINST)
    await propose('parrot/name', 'The parrot is called Igor.')
    await host.call('learning.record', { lesson: 'Wet tiles are slippery.', agent: 'ops-bot' })
    const page = await queue()
    await eventually(() => page.getByRole('option').count()).toBe(2)
    expect(await row(page, 'Wet tiles').count()).toBe(0)
    await row(page, 'parrot/name').click()
    await button(page, 'Reject').click()
    await eventually(() => status('parrot/name')).toBe('rejected')
    await eventually(() => said(page).textContent()).toMatch(/^parrot\/name is rejected/)
    await page.keyboard.press('u')
    await eventually(() => status('parrot/name')).toBe('proposed')
    await row(page, 'ops/deploys').click()
    await pane(page).getByText('No graded run has relied on it yet.').waitFor()
    await pane(page).getByText(HELD).waitFor()
    expect(await violations(page)).toEqual([])
    await button(page, 'Accept').click()
    await eventually(() => status('ops/deploys')).toBe('conflicted')
    await tab(page, 'Conflicts').click()
    await row(page, 'ops/deploys').waitFor()
    expect(await total('conflicts.list')).toBe(1)
    await page.reload()
    await eventually(() => tab(page, 'Conflicts').getAttribute('aria-selected')).toBe('true')
    await button(page, 'Keep that').click()
    await eventually(() => total('conflicts.list')).toBe(0)
  })

  test('[PRO017] no pending proposal is told of in the navigation; the page opens by its address', async () => {
    const page = await host.open()
    expect(await total('memory.proposals')).toBe(1)
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await navigation.getByRole('link', { name: 'Review' }).waitFor()
    expect(await navigation.locator('.open').count()).toBe(0)
    expect(await navigation.locator('a[href*="review_queue"]').count()).toBe(0)
    await page.goto(`${host.url}/admin/review_queue`)
    await eventually(() => page.getByRole('tab').allTextContents()).toEqual(['Conflicts 0', 'Proposals 1'])
    expect(await navigation.locator('.open').count()).toBe(0)
  })

  test('[PRO019] where several hold one key the tab offers no decision', async () => {
    await propose('team/lead', 'Ada leads the team.', { agent: 'a' })
    await propose('team/lead', 'Grace leads the design group.', { agent: 'b' })
    const page = await queue()
    await row(page, 'Grace leads').click()
    await pane(page).getByText('Several proposals hold this key').waitFor()
    expect([await button(page, 'Accept').count(), await button(page, 'Reject').count()]).toEqual([0, 0])
    await page.keyboard.press('1')
    await row(page, 'parrot/name').click()
    await button(page, 'Accept').waitFor()
    expect(await total('memory.proposals')).toBe(3)
  })

  test('the window shows them among the rest, and decides by key', async () => {
    const page = await host.open({}, '#/local')
    await page.keyboard.press('Control+2')
    await page.getByRole('button', { name: /^Proposals/ }).click()
    await row(page, 'parrot/name').click()
    await button(page, 'Accept').waitFor()
    await page.keyboard.press('1')
    await eventually(() => status('parrot/name')).toBe('active')
  })
})
