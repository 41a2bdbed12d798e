import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchHome } from '../helpers/headless.ts'
import { electron, needs } from '../helpers/requirements.ts'
import { call, launch, type ElectronWindow } from './electron-window.ts'
import { untilFocused } from './eventually.ts'
import { shot } from './page-checks.ts'

describe('a first start of the desktop app', needs(electron()), () => {
  let loom: ElectronWindow
  let person: string
  let drop: () => Promise<void>
  beforeAll(async () => {
    person = mkdtempSync(join(tmpdir(), 'loom-person-'))
    writeFileSync(join(person, '.claude.json'), '{\n  "projects": {}\n}\n')
    const scratch = await scratchHome()
    drop = scratch.drop
    loom = await launch(scratch.home, { HOME: person, XDG_CONFIG_HOME: join(person, '.config') })
  }, 120_000)
  afterAll(async () => {
    await loom.app.close()
    await drop()
    rmSync(person, { recursive: true, force: true })
  })

  test('writes an app over the bridge, tests it, and takes it back', async () => {
    const { page } = loom
    await page.getByRole('form', { name: 'Step 1 of 3' }).waitFor()
    await shot(page, 'electron-first-run')
    await untilFocused(page, '[type=submit]')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Write 1 and test' }).click()
    await page.getByRole('form', { name: 'Step 3 of 3' }).waitFor()
    expect(JSON.parse(readFileSync(join(person, '.claude.json'), 'utf8'))).toMatchObject({ mcpServers: { loom: { type: 'stdio' } } })
    await page.getByRole('radio', { name: 'Nothing yet' }).check()
    await page.getByRole('button', { name: /^Open Loom/ }).click()
    await page.getByRole('heading', { name: 'Nothing remembered yet' }).waitFor()
    await page.keyboard.press('Control+5')
    const card = page.getByRole('article', { name: 'Claude Code' })
    await card.getByText('A search came back').waitFor()
    await shot(page, 'electron-agents')
    await card.getByRole('button', { name: 'Undo' }).click()
    await card.getByText('Ready to write').waitFor()
    expect(readFileSync(join(person, '.claude.json'), 'utf8')).toBe('{\n  "projects": {}\n}\n')
  })

  test('the page may name an app, and no file or program', async () => {
    const ask = (name: string, input: unknown) => call(loom.page, name, input)
    expect(await ask('host.app_test', { app: 'zed', command: '/bin/sh' })).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT' } })
    expect(await ask('host.app_write', { app: '../../etc', basis: '' })).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENT' } })
    expect(await ask('host.other', {})).toMatchObject({ ok: false, error: { code: 'UNKNOWN_OPERATION' } })
  })
})
