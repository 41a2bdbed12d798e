import { describe, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { reader, readyAndSeeded, row, sharedHost, title } from './browser-window.ts'
import { eventually } from './eventually.ts'

describe('around a memory, in the window', needs(chromium()), () => {
  const host = sharedHost(async (fresh) => {
    await readyAndSeeded(fresh)
    const call = (op: string, input: object) => fresh.call(op, { namespace: 'local', agent: 'ops-bot', ...input })
    await call('memory.set', { memory_key: 'people/ada', value: 'Ada keeps the deploy board.', entities: ['ada', 'deploy board'] })
    await call('memory.set', { memory_key: 'people/ada/desk', value: 'Ada sits by the window on the third floor.', entities: ['ada'] })
    await call('memory.link', { memory_key: 'runbook/rollback/payments', to_key: 'people/ada', relation: 'supports' })
    await call('memory.set', { memory_key: 'deploy/window/prod', value: 'Production deploys run Tuesday and Thursday only; never Friday.' })
  })

  test('the reader shows what is related, says why, and leads there', async () => {
    const page = await host.open()
    await row(page, 'people/ada').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('who keeps the deploy board')
    await eventually(() => title(page).textContent()).toBe('Ada keeps the deploy board.')
    const related = reader(page).getByRole('region', { name: 'Related' })
    await related.getByText('linked from there: supports').waitFor()
    await related.getByText('also about ada').waitFor()
    await eventually(() => reader(page).textContent()).toContain('One source speaks for it.')
    await related.getByRole('button', { name: 'people/ada/desk' }).click()
    await eventually(() => title(page).textContent()).toBe('Ada sits by the window on the third floor.')
  })

  test('a result says in words why it was found, how often it was confirmed too', async () => {
    const page = await host.open()
    await page.keyboard.press('/')
    await page.keyboard.type('production deploys on friday')
    const first = page.getByRole('option').first()
    await eventually(() => first.locator('.tags').textContent()).toMatch(
      /^matches .*production.*; similar meaning; .*confirmed (once|twice)/,
    )
  })
})
