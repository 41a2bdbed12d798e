import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { said, sharedHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, violations } from './page-checks.ts'

const TICKETS: readonly Record<string, unknown>[] = [
  { number: 'INV-2024/001', status: 'open', amount: 99.5, owner: 'Ada', urgent: true },
  { number: 'INV-2024/002', status: 'closed', amount: 1200, owner: 'Bo' },
  { number: 'INV-2024/003', status: 'open', amount: 7, owner: { state: 'absent' } },
  { number: '発注-44', status: 'waiting', amount: { state: 'rejected', value: -3 }, owner: '佐藤さん' },
  { number: '=1+1', status: 'waiting', owner: 'a "quoted", one' },
]

const table = (page: Page) => page.getByRole('table', { name: 'ticket' })
const rows = (page: Page) => table(page).getByRole('rowheader')
const details = (page: Page) => page.getByRole('complementary', { name: 'Record' })
const add = async (page: Page, field: string, by: string, value?: string, isChosen = false) => {
  const form = page.getByRole('form', { name: 'Filter' })
  await form.getByLabel('Field').selectOption(field)
  await form.getByLabel('Condition').selectOption({ label: by })
  if (value !== undefined) await (isChosen ? form.getByLabel('Value').selectOption(value) : form.getByLabel('Value').fill(value))
  await form.getByRole('button', { name: 'Add filter' }).click()
}

describe('records in the window', needs(chromium()), () => {
  const namespace = 'crm'
  const host = sharedHost(prepare)
  const write = (fields: Record<string, unknown>) =>
    host.call('memory.record.write', { namespace, agent: 'desk', schema: 'ticket', fields })
  const open = async (options = {}): Promise<Page> => {
    const page = await host.open(options, `#/${namespace}`)
    await page.evaluate(() => (location.hash = '#/crm/records/ticket'))
    await table(page).waitFor()
    return page
  }
  async function prepare(): Promise<void> {
    await host.call('memory_schema.register', {
      namespace,
      schema: 'ticket',
      description: 'What customers wrote in for.',
      fields: [
        { name: 'number', type: 'string', identity: true, required: true, description: 'As on the invoice.' },
        { name: 'status', type: 'string', required: true, enum_values: ['open', 'waiting', 'closed'] },
        { name: 'amount', type: 'number', min_value: -10 },
        { name: 'owner', type: 'string' },
        { name: 'urgent', type: 'boolean' },
      ],
    })
    await host.call('memory_schema.propose', { namespace, schema: 'visit', fields: [{ name: 'day', type: 'string' }] })
    for (const fields of TICKETS) await write(fields)
    await write({ number: 'INV-2024/001', status: 'closed', amount: 120 })
  }

  test('[REC001][REC008] shows the schemas, and a table of the records of one', async () => {
    const page = await host.open({}, `#/${namespace}`)
    await page.keyboard.press('Control+9')
    await table(page).waitFor()
    await eventually(() => page.getByRole('navigation', { name: 'Schemas' }).getByRole('link').allInnerTexts()).toEqual([
      'ticket\n5',
      'visit\nproposed',
    ])
    await eventually(() => table(page).getByRole('columnheader').allInnerTexts()).toEqual([
      'Key',
      'number',
      'status',
      'amount',
      'owner',
      'urgent',
      'Changed',
    ])
    await eventually(() => rows(page).count()).toBe(5)
    const first = page.getByRole('row', { name: /inv2024001/ })
    await eventually(() => first.getByRole('cell').allInnerTexts()).toEqual([
      'INV-2024/001',
      'closed',
      '120',
      'Ada',
      'yes',
      expect.any(String),
    ])
    await page.getByRole('link', { name: /visit/ }).click()
    await page.getByText('This schema is proposed.').waitFor()
  })

  test('[REC010] filters by type, sorts by a column, and says how many there are', async () => {
    const page = await open()
    await add(page, 'amount', 'at least', '100')
    await eventually(() => rows(page).allInnerTexts()).toEqual(['ticket/inv2024001', 'ticket/inv2024002'])
    await add(page, 'status', 'is', 'open', true)
    await page.getByText('No record answers this').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await add(page, 'owner', 'has no value')
    await eventually(() => rows(page).allInnerTexts()).toEqual(['ticket/inv2024003'])
    await page.getByRole('button', { name: 'Remove filter: owner has no value' }).click()
    await page.getByRole('button', { name: 'amount' }).click()
    await eventually(() => table(page).getByRole('columnheader', { name: 'amount' }).getAttribute('aria-sort')).toBe('descending')
    await eventually(() =>
      rows(page)
        .allInnerTexts()
        .then((all) => all.slice(0, 2)),
    ).toEqual(['ticket/inv2024002', 'ticket/inv2024001'])
    await page.getByRole('button', { name: 'amount' }).click()
    await eventually(() =>
      rows(page)
        .allInnerTexts()
        .then((all) => all[0]),
    ).toBe('ticket/inv2024003')
    await add(page, 'amount', 'over', 'many')
    await eventually(() => page.getByRole('alert').filter({ hasText: 'number' }).textContent()).toBe('Type a number.')
  })

  test('[REC013][REC033] shows one record with the state of each field, and every version of it', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'ticket/inv2024001' }).click()
    const history = details(page).getByRole('listitem')
    await eventually(() => history.count()).toBe(2)
    await eventually(async () => (await history.first().innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /now .*status open → closed.*amount 99\.5 → 120/,
    )
    await eventually(() => history.last().innerText()).toMatch(/earlier/)
    await page.getByRole('button', { name: 'ticket/44' }).click()
    await eventually(async () => (await details(page).innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /amount rejected -3 .*urgent – ?unknown/,
    )
    await page.keyboard.press('Escape')
    await eventually(() => details(page).count()).toBe(0)
  })

  test('takes the records along as CSV, as filtered, and hands no spreadsheet a formula', async () => {
    const page = await open()
    await add(page, 'status', 'is', 'waiting', true)
    await eventually(() => rows(page).count()).toBe(2)
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const download = await waiting
    expect(download.suggestedFilename()).toBe('ticket.csv')
    const text = await readFile(await download.path(), 'utf8')
    const lines = text.split('\r\n')
    expect(lines[0]).toBe('\ufeffrecord_key,number,status,amount,owner,urgent,created_at,actor')
    expect(lines.slice(1, 3).map((line) => line.replace(/,\d{4}-.*/, ''))).toEqual([
      `ticket/11,'=1+1,waiting,,"a ""quoted"", one",`,
      'ticket/44,発注-44,waiting,,佐藤さん,',
    ])
    await eventually(() => said(page).textContent()).toMatch(/2 records exported to ticket\.csv/)
  })

  test('follows what an agent writes, and shows it as text whatever it is', async () => {
    const page = await open()
    await write({ number: 'XSS-1', status: 'open', owner: '<img src=x onerror=alert(1)>' })
    await eventually(() => page.getByRole('row', { name: /xss1/ }).innerText()).toContain('<img src=x onerror=alert(1)>')
    await host.call('memory.record.delete', { namespace, agent: 'desk', schema: 'ticket', record_key: 'ticket/xss1' })
    await eventually(() => rows(page).count()).toBe(5)
  })

  test.each(['light', 'dark'] as const)('has nothing that axe finds fault with, in %s', async (colorScheme) => {
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const page = await open({ colorScheme, viewport, reducedMotion: 'reduce' })
      await add(page, 'amount', 'at least', '1')
      await page.getByRole('button', { name: 'ticket/inv2024001' }).click()
      await details(page).getByRole('listitem').first().waitFor()
      await shot(page, `records-${colorScheme}-${viewport.width}`)
      expect(await violations(page)).toEqual([])
      await page.context().close()
    }
  })
})
