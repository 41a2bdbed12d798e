import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { modelsReady, row, said, sharedHost } from './browser-window.ts'
import { eventually, untilFocused } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

let home: string

const step = (page: Page, at: number) => page.getByRole('form', { name: `Step ${at} of 3` })

describe('a first start', needs(chromium()), () => {
  const host = sharedHost(modelsReady, () => {
    home = mkdtempSync(join(tmpdir(), 'loom-home-'))
    mkdirSync(join(home, '.cursor'))
    writeFileSync(join(home, '.claude.json'), '{}')
    return { HOME: home, XDG_CONFIG_HOME: '' }
  })
  const first = (options = {}) => host.open(options, '', true)
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('each step can be left, and what is left is a working window, where it does not come again', async () => {
    for (const steps of [0, 1, 2]) {
      const page = await first()
      await step(page, 1).waitFor()
      for (let at = 0; at < steps; at++) {
        await step(page, at + 1)
          .getByRole('button', { name: at === 1 ? 'Skip' : /^Continue/ })
          .click()
        await step(page, at + 2).waitFor()
      }
      await page.reload()
      await page.getByRole('heading', { name: 'Nothing remembered yet' }).waitFor()
      await page.context().close()
    }
    const past = await first()
    await step(past, 1).waitFor()
    await past.keyboard.press('Control+5')
    await past.getByRole('heading', { level: 1, name: 'Connect an app' }).waitFor()
    await past.context().close()
    const page = await first()
    await step(page, 1).getByRole('button', { name: 'Not now' }).click()
    await page.getByRole('heading', { name: 'Nothing remembered yet' }).waitFor()
    await eventually(() => page.locator('.ways b').allTextContents()).toEqual(['Write one', 'Connect an app', 'Look around'])
    await page.getByText('2 were found on this computer').waitFor()
    expect(await violations(page)).toEqual([])
    await shot(page, 'empty')
  })

  test('axe in both themes, and 320 pixels', async () => {
    for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 320, height: 640 } }] as const) {
      const page = await first(options)
      for (const at of [1, 2, 3]) {
        await step(page, at).waitFor()
        if (at === 2) await step(page, 2).getByText('Claude Code').waitFor()
        expect(await violations(page)).toEqual([])
        await eventually(() => sideways(page)).toBe(0)
        await shot(page, `first-run-${at}-${'viewport' in options ? '320' : options.colorScheme}`)
        if (at < 3)
          await step(page, at)
            .getByRole('button', { name: at === 2 ? 'Skip' : /^Continue/ })
            .click()
      }
      await page.context().close()
    }
  })

  test('a team needs its link; without one the step says so and stays', async () => {
    const page = await first()
    await page.getByRole('radio', { name: /^With a team/ }).check()
    await page.keyboard.press('Tab')
    await page.getByRole('textbox', { name: 'Pairing link' }).fill('loom://pair?server=&code=')
    await page.getByRole('textbox', { name: 'Pairing link' }).press('Enter')
    await step(page, 1).getByRole('alert').waitFor()
    await page.getByRole('radio', { name: /^On this computer/ }).check()
    await step(page, 1)
      .getByRole('button', { name: /^Continue/ })
      .click()
    await step(page, 2).waitFor()
    await page.keyboard.press('Escape')
    await step(page, 1).waitFor()
  })

  test('three times Enter: apps written and tested, samples in; one click takes them out', async () => {
    const page = await first()
    await step(page, 1).waitFor()
    await untilFocused(page, 'form[aria-label="Step 1 of 3"] [type=submit]')
    await page.keyboard.press('Enter')
    await step(page, 2).getByRole('button', { name: 'Write 2 and test' }).waitFor()
    await step(page, 2).getByRole('button', { name: 'Show the two changes' }).click()
    await step(page, 2).getByRole('group', { name: 'Change of the file of Claude Code' }).waitFor()
    expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe('{}')
    await step(page, 2).getByRole('button', { name: 'Write 2 and test' }).press('Enter')
    await step(page, 3).waitFor()
    expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toMatchObject({ mcpServers: { loom: { type: 'stdio' } } })
    expect(JSON.parse(readFileSync(join(home, '.cursor', 'mcp.json'), 'utf8'))).toMatchObject({ mcpServers: { loom: {} } })
    await step(page, 3).getByText('本番デプロイの連絡先は佐藤さん。').waitFor()
    await untilFocused(page, 'form[aria-label="Step 3 of 3"] [type=submit]')
    await page.keyboard.press('Enter')
    await page.getByText('12 sample memories are here.').waitFor()
    await eventually(() => page.getByRole('option').count()).toBe(12)
    await row(page, 'deploy/friday').getByText('Conflict').waitFor()
    await shot(page, 'samples')
    await host.call('memory.set', { namespace: 'local', agent: 'me', memory_key: 'mine', value: 'My own memory.', tags: ['sample'] })
    await page.getByRole('button', { name: 'Take them out' }).click()
    await eventually(() => said(page).innerText()).toContain('12 samples are taken out')
    await eventually(() => page.getByRole('option').allTextContents()).toHaveLength(1)
    await row(page, 'mine').waitFor()
    await eventually(() => page.getByText('sample memories are here').count()).toBe(0)
    await page.getByRole('button', { name: /^Undo/ }).click()
    await page.getByText('12 sample memories are here.').waitFor()
    await page.getByRole('button', { name: 'Take them out' }).click()
    await eventually(() => page.getByRole('option').count()).toBe(1)
    // A store that holds something is no first start.
    const again = await first()
    await again.getByRole('combobox', { name: 'Search' }).waitFor()
  })
})
