import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { row, section, sharedHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, violations } from './page-checks.ts'

const said = (id: string, role: string, text: string) => ({
  message: {
    id,
    author: { role },
    create_time: 1714550400,
    content: { content_type: 'text', parts: [text] },
    recipient: 'all',
    metadata: {},
  },
})
const CHATS = [
  {
    conversation_id: 'c1',
    create_time: 1714550400,
    mapping: {
      a: said('a', 'user', 'My sister Derya moved to Bergen in March.'),
      b: said('b', 'assistant', 'Good to know.'),
      c: said('c', 'user', 'The boiler in the flat is serviced every October.'),
      d: said('d', 'user', 'What is a boiler?'),
    },
  },
]
const FACTS = [
  '{"id":"1","memory":"The kiln is fired on Mondays."}',
  '{"id":"2","memory":',
  '{"id":"3","memory":"Sofia keeps the keys of the archive."}',
].join('\n')

const report = (page: Page) => page.getByRole('region', { name: 'Report' })
const files = (page: Page) => page.getByLabel('Choose files', { exact: true }).and(page.locator('input'))

describe('import and export in the window', needs(chromium()), () => {
  const host = sharedHost()

  async function open(options = {}): Promise<Page> {
    const page = await host.open(options)
    await page.goto(`${host.url}/#/local/settings/transfer`)
    await section(page).getByRole('heading', { level: 1, name: 'Import and export' }).waitFor()
    return page
  }

  test('a ChatGPT export is recognised, tried out, stored, and the second time adds nothing', async () => {
    const page = await open()
    const zip = {
      name: 'export.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(zipSync({ 'conversations.json': new TextEncoder().encode(JSON.stringify(CHATS)) })),
    }
    await files(page).setInputFiles(zip)
    await report(page).getByText('ChatGPT export').waitFor()
    await section(page).getByText('Nothing is stored yet').waitFor()
    await eventually(() =>
      report(page)
        .getByRole('row', { name: /answers of an assistant/ })
        .textContent(),
    ).toContain('1')
    expect((await host.call('memory.list', { namespace: 'local' }))['rows']).toEqual([])
    await section(page).getByRole('button', { name: 'Import 2 memories' }).click()
    await section(page).getByText('Stored 2 memories').waitFor()
    expect(((await host.call('memory.list', { namespace: 'local' }))['rows'] as unknown[]).length).toBe(2)
    await section(page).getByRole('button', { name: 'Choose something else' }).click()
    await files(page).setInputFiles(zip)
    await section(page).getByText('There is nothing new to import.').waitFor()
    expect(
      await section(page)
        .getByRole('button', { name: /^Import/ })
        .count(),
    ).toBe(0)
    await page.goto(`${host.url}/#/local`)
    await row(page, 'Bergen').waitFor()
  })

  test('a broken line is named with its number, and what is dropped is read as what is chosen', async () => {
    const page = await open()
    await page.locator('.drop').waitFor()
    await page.evaluate((text) => {
      const data = new DataTransfer()
      data.items.add(new File([text], 'notes.txt'))
      document.querySelector('.drop')?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    }, FACTS)
    await report(page).getByText('mem0 or OpenMemory').waitFor()
    await report(page).getByText('1 could not be read or stored').click()
    await report(page).getByText('notes.txt, line 2').waitFor()
    await section(page).getByRole('button', { name: 'Import 2 memories' }).waitFor()
  })

  test('a long one shows how far it is, and is cancelled', async () => {
    const page = await open()
    const many = Array.from(
      { length: 3000 },
      (_, at) => `{"id":"${at}","memory":"Shelf ${at} of the archive holds ${at * 3} boxes of maps."}`,
    ).join('\n')
    await files(page).setInputFiles({ name: 'many', mimeType: 'text/plain', buffer: Buffer.from(many) })
    await section(page).getByRole('progressbar', { name: 'Looking at what it would come to' }).waitFor()
    await section(page).getByRole('button', { name: 'Cancel' }).click()
    await section(page).getByText('Cancelled. Nothing was stored.').waitFor()
  })

  test('an export is a file that an import reads back', async () => {
    const page = await open()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      section(page).getByRole('button', { name: 'Export to a file' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('loom-local.jsonl')
    const path = await download.path()
    expect(await readFile(path, 'utf8')).toContain('My sister Derya moved to Bergen in March.')
    await files(page).setInputFiles(path)
    await report(page).getByText('Loom export').waitFor()
    await eventually(() => section(page).getByText('There is nothing new to import.').count()).toBe(1)
  })

  test.each(['light', 'dark'] as const)('axe finds nothing, %s, nor at 320 pixels', async (colorScheme) => {
    const page = await open({ colorScheme })
    expect(await violations(page)).toEqual([])
    await files(page).setInputFiles({ name: 'facts', mimeType: 'text/plain', buffer: Buffer.from(FACTS) })
    await section(page).getByRole('button', { name: 'Import 2 memories' }).waitFor()
    await report(page).getByText('1 could not be read or stored').click()
    expect(await violations(page)).toEqual([])
    await shot(page, `import-checked-${colorScheme}`)
    await section(page).getByRole('button', { name: 'Choose something else' }).click()
    await files(page).waitFor({ state: 'attached' })
    await shot(page, `import-${colorScheme}`)
    await page.setViewportSize({ width: 320, height: 700 })
    await eventually(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    expect(await violations(page)).toEqual([])
    await shot(page, `import-narrow-${colorScheme}`)
  })
})
