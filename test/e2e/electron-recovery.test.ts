import { createHash } from 'node:crypto'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElectronApplication, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { entriesOf } from '../../shared/engine/db/disk-sync.ts'
import { openDesktop } from '../helpers/desktop.ts'
import { scratchHome } from '../helpers/headless.ts'
import { electron, needs } from '../helpers/requirements.ts'
import { call, launch } from './electron-window.ts'
import { eventually } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

/** A data folder with two backups; each test works on a copy. */
let whole: string
let home: string
let drop: () => Promise<void>
let app: ElectronApplication
let page: Page
let control: Buffer

const damaged = () => join(home, 'db', 'global', 'pg_control')
async function bytesOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  for (const file of (await entriesOf(path)).files.toSorted()) digest.update(`${file}\0`).update(await readFile(join(path, file)))
  return digest.digest('hex')
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const keptFolder = async () => join(home, (await readdir(home)).find((name) => name.startsWith('db.damaged-')) ?? 'none')

/** Opens the app on a folder whose database is damaged, on the recovery screen. */
async function openDamaged(): Promise<void> {
  control = await readFile(damaged())
  await writeFile(damaged(), Buffer.alloc(control.length, 7))
  ;({ app, page } = await launch(home))
  await page.getByRole('heading', { level: 1, name: 'Loom cannot open its database' }).waitFor()
}

describe('the recovery screen', needs(electron()), () => {
  let number = 0
  beforeAll(async () => {
    ;({ home: whole, drop } = await scratchHome())
    const loom = await openDesktop(whole)
    for (let at = 0; at < 12; at++) await loom.call('memory.set', { memory_key: `shelf/${at}`, value: `Shelf ${at} holds part ${at * 7}.` })
    await loom.call('backup.create', { label: 'first' })
    await loom.call('memory.set', { memory_key: 'shelf/12', value: 'Shelf 12 holds part 84.' })
    await loom.call('backup.create', { label: 'second' })
    await loom.close()
  }, 120_000)
  afterAll(() => drop())
  beforeEach(async () => {
    home = join(whole, '..', `home-${number++}`, 'Loom')
    await cp(whole, home, { recursive: true })
  })
  afterEach(() => app.close().catch(() => {}))

  test('says what happened, restores the newest backup by one key, and keeps the damaged files byte for byte', async () => {
    await openDamaged()
    const before = await bytesOf(join(home, 'db'))
    await eventually(() => page.locator('.choices p').first().textContent()).toMatch(
      /, 13 memories\. What was written since is not in it\.$/,
    )
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Restore')
    for (const theme of ['light', 'dark']) {
      await page.evaluate((name) => (document.documentElement.dataset['theme'] = name), theme)
      expect(await violations(page, true)).toEqual([])
      await shot(page, `recovery-${theme}`)
    }
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setMinimumSize(300, 300))
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(320, 700))
    await eventually(() => page.evaluate(() => innerWidth)).toBe(320)
    await eventually(() => sideways(page)).toBe(0)
    await shot(page, 'recovery-320')
    expect(await bytesOf(join(home, 'db'))).toBe(before)

    await page.keyboard.press('Enter')
    await eventually(async () => (await call(page, 'memory.get', { memory_key: 'shelf/12' })).value?.['found']).toBe(true)
    await page.locator('#root .app').waitFor()
    expect(await bytesOf(await keptFolder())).toBe(before)
  })

  test('another backup can be chosen', async () => {
    await openDamaged()
    await button('Choose…').click()
    await shot(page, 'recovery-choose')
    await page.getByRole('list', { name: 'Other backups' }).getByRole('button').first().click()
    await eventually(async () => (await call(page, 'memory.get', { memory_key: 'shelf/11' })).value?.['found']).toBe(true)
    expect(await call(page, 'memory.get', { memory_key: 'shelf/12' })).toMatchObject({ value: { found: false } })
  })

  test('what cannot be exported is said, and a fresh memory starts beside the damaged one', async () => {
    await openDamaged()
    const before = await bytesOf(join(home, 'db'))
    await app.evaluate(
      ({ dialog }, filePath) => {
        dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
      },
      join(home, '..', 'out'),
    )
    await button('Export…').click()
    await eventually(() => page.locator('.said').textContent()).toContain('Nothing of the database can be read')
    await shot(page, 'recovery-nothing')
    await button('Start fresh').click()
    await eventually(async () => (await call(page, 'engine.info')).ok).toBe(true)
    await eventually(() => page.getByText(/Nothing remembered yet|Where your memory lives/).count()).toBeGreaterThan(0)
    expect(await bytesOf(await keptFolder())).toBe(before)
  })

  test('a database that was mended meanwhile opens when it is tried again', async () => {
    await openDamaged()
    await button('Try to open it again').click()
    await eventually(() => page.locator('.said').textContent()).toBe('It still cannot be opened.')
    await writeFile(damaged(), control)
    await button('Try to open it again').click()
    await eventually(async () => (await call(page, 'memory.get', { memory_key: 'shelf/12' })).value?.['found']).toBe(true)
    await page.locator('#root .app').waitFor()
  })
})
