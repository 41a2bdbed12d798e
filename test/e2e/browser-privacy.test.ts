import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { openEraser, type OutsideEraser } from '../helpers/outside-eraser.ts'
import { connectAlice, openTeamServer, untilInStep, type TeamServer } from './browser-team.ts'
import { row, said, section, sharedHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

const field = (page: Page, name: string | RegExp) => section(page).getByRole('textbox', { name })
const past = (page: Page, name: string) => page.getByRole('region', { name: 'Erased so far' }).getByRole('link', { name })
const eraseButton = (page: Page) => section(page).getByRole('form', { name: 'Erase' }).getByRole('button')
/** What stands beside a name in the count. */
const counted = (page: Page, name: string) =>
  section(page).locator('.counts > div').filter({ hasText: name }).first().locator('dd').textContent()
const storeRow = (page: Page, key: string) =>
  section(page)
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name: key, exact: true }) })

describe('privacy in the window', needs(chromium()), () => {
  let server: TeamServer
  const host = sharedHost(prepare)
  let eraser: OutsideEraser

  const team: TeamServer['call'] = (op, input) => server.call(op, input)
  const write = (user_id: string, memory_key: string, value: string, namespace = 'chat') =>
    team('memory.set', { namespace, agent: 'ops-bot', user_id, memory_key, value })
  async function open(options = {}, route = '#/acme%2Fchat'): Promise<Page> {
    const page = await host.open(options, route)
    await page.keyboard.press('Control+6')
    await section(page).getByRole('heading', { level: 1 }).waitFor()
    return page
  }
  const count = async (page: Page, user: string): Promise<void> => {
    await field(page, 'User id, in acme').fill(user)
    await eventually(() => eraseButton(page).textContent()).toMatch(/^Erase [\d,]+ rows$/)
  }

  async function prepare(): Promise<void> {
    eraser = await openEraser()
    server = await openTeamServer({
      LOOM_EXTERNAL_ERASERS: eraser.url,
      LOOM_WEBHOOK_SECRET_ACME__ERASURE: 'a secret of the eraser',
    })
    await write('u-58', 'drink', 'u-58 drinks green tea.')
    await write('u-58', 'city', 'u-58 lives in Oslo.')
    await write('u-60', 'drink', 'u-60 drinks black coffee.')
    await write('u-61', 'pet', 'u-61 has a cat called Minka.')
    await write('-', 'office', 'The office in Berlin opens at eight.', 'scrap')
    await host.call('memory.set', { namespace: 'local', user_id: 'u-7', memory_key: 'wifi', value: 'The guest network is called Linde.' })
    await connectAlice(host, server, { '*': 'org_admin' })
  }
  afterAll(async () => {
    await host.kill()
    await server?.[Symbol.asyncDispose]()
    eraser?.close()
  })

  test('a person is counted, erased after the name was typed, seen through, and proved on a page that is kept', async () => {
    const page = await open()
    await shot(page, 'privacy-erase-empty')
    await count(page, 'u-58')
    await eventually(() => counted(page, 'Memories')).toBe('2')
    await section(page).getByText('Off the disk').click()
    await eventually(() => section(page).getByRole('status').first().textContent()).toContain('nothing is erased yet')
    await eventually(() => section(page).locator('.what .note').textContent()).toContain('1 device will be told.')
    const confirm = field(page, 'Type u-58 to erase')
    await confirm.fill('u-5')
    await page.keyboard.press('Enter')
    await eventually(() => section(page).getByRole('alert').textContent()).toContain('letter by letter')
    expect(await violations(page)).toEqual([])
    await shot(page, 'privacy-erase-light')
    expect((await team('erasure.list', {}))['rows']).toEqual([])

    eraser.mode = 'held'
    await confirm.fill('u-58')
    await page.keyboard.press('Enter')
    await section(page).getByRole('heading', { name: 'Erasing u-58' }).waitFor()
    await eventually(() => section(page).getByRole('status').first().textContent()).toContain('Step 17 of 19')
    await eventually(() => section(page).getByRole('listitem').filter({ hasText: 'Snapshots' }).textContent()).toContain('not needed')
    await eventually(() => past(page, 'u-58').textContent()).toContain('Running')
    expect(await violations(page)).toEqual([])
    await shot(page, 'privacy-running-light')
    eraser.mode = 'ok'
    eraser.release()

    await section(page).getByRole('heading', { name: 'Receipt of erasure' }).waitFor()
    const receipt = section(page)
    await eventually(() => receipt.textContent()).toContain('the person u-58, in every namespace of acme')
    await eventually(() => receipt.textContent()).toContain('off the disk')
    await eventually(() => storeRow(page, 'pg:memory').getByRole('cell').allTextContents()).toEqual(['pg:memory', '2', '0'])
    await eventually(() => receipt.textContent()).toContain('1 of 1 confirmed')
    await eventually(() => past(page, 'u-58').textContent()).toContain('complete, nothing left')
    await eventually(() => receipt.textContent()).toContain('alice-mbp')
    expect(await violations(page)).toEqual([])
    await shot(page, 'privacy-receipt-light')
    const id = page.url().split('/').at(-1) ?? ''
    expect(await team('erasure.status', { erasure_id: id })).toMatchObject({
      status: 'completed',
      scope_value: 'u-58',
      purge: true,
      requester: 'alice',
    })
    expect(await team('memory.get', { namespace: 'chat', agent: 'ops-bot', user_id: 'u-58', memory_key: 'drink' })).toMatchObject({
      found: false,
    })
    expect(await team('memory.get', { namespace: 'chat', agent: 'ops-bot', user_id: 'u-60', memory_key: 'drink' })).toMatchObject({
      found: true,
    })

    const [saved] = await Promise.all([page.waitForEvent('download'), receipt.getByRole('button', { name: 'Save as page' }).click()])
    expect(saved.suggestedFilename()).toBe(`receipt-${id}.html`)
    const html = await readFile(await saved.path(), 'utf8')
    expect(html).toContain(id)
    expect(html).toContain('pg:memory_version')
    expect(html).not.toMatch(/<script|<button|src=|href=/)
    const [data] = await Promise.all([page.waitForEvent('download'), receipt.getByRole('button', { name: 'Save as JSON' }).click()])
    expect(JSON.parse(await readFile(await data.path(), 'utf8'))).toMatchObject({ erasure_id: id, census: { 'pg:memory': 0 } })
    await page.emulateMedia({ media: 'print' })
    await eventually(() => page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false)
    await eventually(() => receipt.getByRole('button').count()).toBe(0)
    await eventually(() => receipt.getByRole('heading', { name: 'Receipt of erasure' }).isVisible()).toBe(true)
    await shot(page, 'privacy-receipt-print')
  })

  test('one that stopped says where, why, and what holds', async () => {
    eraser.mode = 'refuse'
    const page = await open({ colorScheme: 'dark' })
    await count(page, 'u-60')
    await field(page, 'Type u-60 to erase').fill('u-60')
    await page.keyboard.press('Enter')
    await eventually(() => section(page).getByRole('alert').first().textContent()).toContain('Stopped at “Systems outside Loom”')
    await eventually(() => section(page).getByRole('alert').first().textContent()).toMatch(/answered 500.*late changes stay refused/)
    await eventually(() => section(page).textContent()).toMatch(/Tried once\. Next try at \d\d:\d\d, by itself\./)
    await eventually(() => past(page, 'u-60').textContent()).toContain('Stopped')
    expect(await violations(page)).toEqual([])
    await shot(page, 'privacy-stopped-dark')
    eraser.mode = 'ok'
  })

  test('a namespace goes out of reach only, and several are named together', async () => {
    const page = await open()
    await section(page).getByText('A namespace', { exact: true }).click()
    const known = section(page).getByRole('group', { name: 'Namespaces that are known' })
    await known.getByRole('button', { name: 'scrap' }).click()
    await eventually(() => section(page).getByRole('radio', { name: 'Off the disk' }).isDisabled()).toBe(true)
    await eventually(() => counted(page, 'Memories')).toBe('1')
    await section(page).getByRole('button', { name: 'Name it under Several' }).click()
    await eventually(() => field(page, 'Namespaces, in acme').inputValue()).toBe('scrap')
    await known.getByRole('button', { name: 'chat' }).click()
    await field(page, 'Type 2 namespaces to erase').waitFor()
    await known.getByRole('button', { name: 'chat' }).click()
    await eventually(() => counted(page, 'Memories')).toBe('1')
    await field(page, 'Type scrap to erase').fill('scrap')
    await eventually(() => eraseButton(page).getAttribute('aria-disabled')).toBe('false')
    await eraseButton(page).click()
    await section(page).getByRole('heading', { name: 'Receipt of erasure' }).waitFor()
    await eventually(() => section(page).textContent()).toContain('the namespaces scrap of acme')
  })

  test('all about a person is saved as one file, every section, from what is here', async () => {
    const page = await open({}, '#/local')
    await page.getByRole('link', { name: 'Export', exact: true }).click()
    await section(page).getByRole('heading', { name: 'Export what Loom knows about someone' }).waitFor()
    await section(page).getByRole('button', { name: 'Export' }).click()
    await eventually(() => section(page).getByRole('alert').textContent()).toContain('first')
    await field(page, 'User id, in dev').fill('u-7')
    const [saved] = await Promise.all([page.waitForEvent('download'), section(page).getByRole('button', { name: 'Export' }).click()])
    expect(saved.suggestedFilename()).toMatch(/^loom-export-u-7-\d{4}-\d\d-\d\d\.json$/)
    const file = JSON.parse(await readFile(await saved.path(), 'utf8')) as Record<string, { rows: Record<string, unknown>[] }>
    expect(file['memory']?.rows).toEqual([expect.objectContaining({ org: 'dev', namespace: 'local', memory_key: 'wifi' })])
    for (const name of ['knowledge', 'conversations', 'conversation_threads', 'agent_events', 'audit_log']) {
      expect(file[name], name).toMatchObject({ truncated: false })
    }
    await eventually(() => said(page).textContent()).toContain('saved as loom-export-u-7')
    await eventually(() => section(page).getByRole('row').filter({ hasText: 'Memories' }).textContent()).toContain('1all of it')
    expect(await violations(page)).toEqual([])
    await shot(page, 'privacy-export-light')
  })

  test('the keyboard is enough: sections, past erasures, panes and back', async () => {
    const page = await open()
    await past(page, 'scrap').waitFor()
    await page.keyboard.press('j')
    await section(page).getByRole('heading', { name: 'Export what Loom knows about someone' }).waitFor()
    await page.keyboard.press('j')
    await section(page).getByRole('heading', { name: 'Receipt of erasure' }).waitFor()
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-current'))).toBe('page')
    await page.keyboard.press('k')
    await section(page).getByRole('heading', { name: 'Export what Loom knows about someone' }).waitFor()
    await page.keyboard.press('F6')
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Section')
    await page.keyboard.press('Escape')
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Export')
  })

  test('without the server an erasure for the team waits, and says so; export goes on', async () => {
    await server.line.cut()
    await eventually(() => host.call('sync.status', {})).toMatchObject({ state: 'offline' })
    const page = await open()
    await eventually(() => section(page).textContent()).toContain('The server cannot be reached now')
    await field(page, 'User id, in acme').fill('u-61')
    await eventually(() => section(page).locator('.what').textContent()).toContain('It could not be counted')
    await field(page, 'Type u-61 to erase').fill('u-61')
    await page.keyboard.press('Enter')
    await eventually(() => section(page).getByRole('alert').textContent()).toContain('Wait until all is counted')
    await shot(page, 'privacy-offline-light')
    await section(page).getByRole('button', { name: 'Export instead' }).click()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      section(page).getByRole('button', { name: 'Export', exact: true }).click(),
    ])
    const file = JSON.parse(await readFile(await saved.path(), 'utf8')) as Record<string, { rows: Record<string, unknown>[] }>
    expect(file['memory']?.rows).toEqual([expect.objectContaining({ org: 'acme', namespace: 'chat', user_id: 'u-61' })])
    await server.line.join()
    await untilInStep(host)
    host.faults.splice(0, host.faults.length, ...host.faults.filter((fault) => !fault.includes('503')))
  })

  test('axe finds nothing, in both themes and directions, and 320 px are enough', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open({ colorScheme, reducedMotion: 'reduce' })
      await count(page, 'u-61')
      await section(page).getByText('Every store').click()
      expect(await violations(page)).toEqual([])
      await shot(page, `privacy-erase-${colorScheme}-stores`)
      await past(page, 'u-58').click()
      await section(page).getByRole('heading', { name: 'Receipt of erasure' }).waitFor()
      expect(await violations(page)).toEqual([])
      await shot(page, `privacy-receipt-${colorScheme}`)
      await page.evaluate(() => localStorage.setItem('loom.preferences', JSON.stringify({ direction: 'rtl' })))
      await page.reload()
      await section(page).getByRole('heading', { name: 'Receipt of erasure' }).waitFor()
      expect(await violations(page)).toEqual([])
      await page.getByRole('link', { name: 'Erase', exact: true }).click()
      await count(page, 'u-61')
      expect(await violations(page)).toEqual([])
      await shot(page, `privacy-rtl-${colorScheme}`)
      await page.context().close()
    }
    const page = await host.open({ viewport: { width: 320, height: 640 } }, '#/acme%2Fchat')
    await page.evaluate(() => (location.hash = '#/acme%2Fchat/privacy/erase'))
    await count(page, 'u-61')
    await eventually(() => sideways(page)).toBe(0)
    expect(await violations(page)).toEqual([])
    await shot(page, 'privacy-narrow-erase')
    await page.getByRole('button', { name: 'Privacy' }).click()
    await shot(page, 'privacy-narrow-list')
    await past(page, 'u-58').click()
    await section(page).getByRole('heading', { name: 'Receipt of erasure' }).waitFor()
    await eventually(() => sideways(page)).toBe(0)
    expect(await violations(page)).toEqual([])
    await shot(page, 'privacy-narrow-receipt')
    await page.getByRole('button', { name: 'Privacy' }).click()
    await page.getByRole('link', { name: 'Export', exact: true }).click()
    await section(page).getByRole('heading', { name: 'Export what Loom knows about someone' }).waitFor()
    await eventually(() => sideways(page)).toBe(0)
  })

  test('who may not is told so, and what to do instead; their own computer is theirs', async () => {
    await host.call('sync.disconnect', { keep_rows: false, discard_queue: true })
    await connectAlice(host, server, { chat: 'writer' })
    const page = await open()
    await section(page).getByRole('heading', { name: 'You cannot erase here' }).waitFor()
    expect(await eraseButton(page).count()).toBe(0)
    expect(await violations(page)).toEqual([])
    await shot(page, 'privacy-not-allowed')
    await section(page).getByRole('button', { name: 'Erase on this computer instead' }).click()
    await field(page, 'User id, in dev').fill('u-7')
    await field(page, 'Type u-7 to erase').fill('u-7')
    await eventually(() => eraseButton(page).getAttribute('aria-disabled')).toBe('false')
    await page.keyboard.press('Enter')
    await section(page).getByRole('heading', { name: 'Receipt of erasure' }).waitFor()
    await eventually(() => section(page).textContent()).toContain('the person u-7, in every namespace of dev')
    expect(await host.call('memory.get', { namespace: 'local', user_id: 'u-7', memory_key: 'wifi' })).toMatchObject({ found: false })
    await page.keyboard.press('Control+1')
    await page.getByRole('button', { name: /^local/ }).click()
    await eventually(() => row(page, 'Linde').count()).toBe(0)
  })
})
