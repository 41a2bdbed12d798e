import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { makePdf } from '../helpers/pdf.ts'
import { chromium, needs } from '../helpers/requirements.ts'
import { said, sharedHost, type BrowserHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, violations } from './page-checks.ts'

const DEPLOY = [
  '# Deploy',
  '',
  'How the platform team brings changes to production.',
  '',
  '## Windows',
  '',
  'Production deploys run Tuesday and Thursday; never on Friday.',
  '',
  '## Rollback',
  '',
  'Roll back with the previous image tag. Migrations are forward only.',
  '',
  '```sh',
  'loom-deploy --to previous',
  '```',
].join('\n')
const HTML =
  '<!doctype html><title>Kettle</title><script>document.title="taken"</script><h1>Use</h1><p>Fill it with water, <b>never</b> with milk.</p>'

const files = [
  { name: 'deploy.md', mimeType: 'text/markdown', buffer: Buffer.from(DEPLOY) },
  {
    name: 'boiler.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from(
      makePdf({
        pages: ['Boiler manual', 'Valves are checked in March.'],
        title: 'Boiler manual',
        outline: [{ title: 'Checks', page: 2 }],
      }),
    ),
  },
  { name: 'kettle.html', mimeType: 'text/html', buffer: Buffer.from(HTML) },
  { name: 'locked.pdf', mimeType: 'application/pdf', buffer: Buffer.from(makePdf({ pages: ['x'], encrypted: true })) },
]

const rows = (page: Page) => page.getByRole('region', { name: 'Documents' }).locator('.doc-row')
const document = (page: Page) => page.getByRole('region', { name: 'Document', exact: true })

async function knowledge(host: BrowserHost, options = {}): Promise<Page> {
  const page = await host.open(options)
  await page.getByRole('navigation').getByRole('link', { name: 'Knowledge' }).click()
  await page.getByRole('searchbox', { name: 'Search documents' }).waitFor()
  return page
}

describe('documents in the window', needs(chromium()), () => {
  const host = sharedHost()

  test('are added from files, each told what became of it', async () => {
    const page = await knowledge(host)
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.locator('input[type=file]').setInputFiles(files)
    const dialog = page.getByRole('dialog', { name: 'Add 4 files' })
    await dialog.getByRole('combobox', { name: 'Collection' }).fill('runbooks')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await eventually(() => rows(page).count()).toBe(3)
    expect((await host.call('knowledge.list', { namespace: 'local' }))['total']).toBe(3)
  })

  test('are found by words and meaning, and opened at the passage', async () => {
    const page = await knowledge(host)
    await page.getByRole('searchbox').fill('when may we ship to production?')
    const hit = rows(page).filter({ hasText: 'Tuesday and Thursday' })
    await hit.waitFor()
    await eventually(() => hit.textContent()).toContain('line 7')
    await hit.click()
    const cited = document(page).locator('.passage.cited')
    await eventually(() => cited.textContent()).toContain('never on Friday')
    await eventually(() => document(page).getByRole('heading', { level: 1 }).textContent()).toBe('Deploy')
    for (const colorScheme of ['light', 'dark'] as const) {
      // Colours that are still on their way are those of neither theme.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await violations(page)).toEqual([])
      await shot(page, `knowledge-${colorScheme}`)
    }
  })

  test('show what a page says, and run nothing of it', async () => {
    const page = await knowledge(host)
    await rows(page).filter({ hasText: 'Kettle' }).click()
    await eventually(() => document(page).textContent()).toContain('never with milk')
    expect(await page.title()).toBe('Knowledge · Loom')
  })

  test('are deleted with a way back, and dropped on the list', async () => {
    const page = await knowledge(host)
    await rows(page).filter({ hasText: 'Boiler' }).click()
    await document(page).getByRole('button', { name: 'Delete' }).click()
    await eventually(() => said(page).textContent()).toContain('is deleted')
    await eventually(() => rows(page).count()).toBe(2)
    await page.getByRole('button', { name: /Undo/ }).click()
    await eventually(() => rows(page).count()).toBe(3)
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['# Dropped\nIt fell from the desktop.'], 'dropped.md', { type: 'text/markdown' }))
      return data
    })
    await page.getByRole('region', { name: 'Documents' }).dispatchEvent('drop', { dataTransfer: transfer })
    const dialog = page.getByRole('dialog', { name: 'Add 1 file' })
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await eventually(() => document(page).textContent()).toContain('It fell from the desktop.')
  })

  test('have one pane after the other where there is no room', async () => {
    const page = await host.open({ viewport: { width: 400, height: 800 } }, '')
    await page.goto(`${host.url}/#/local/knowledge`)
    await rows(page).filter({ hasText: 'Deploy' }).first().click()
    await document(page).getByRole('heading', { level: 1 }).waitFor()
    expect(await violations(page)).toEqual([])
    await shot(page, 'knowledge-narrow')
    await page.getByRole('button', { name: /Documents/ }).click()
    await rows(page).first().waitFor()
  })
})
