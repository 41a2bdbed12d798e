import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { chosen, claim, reader, readyAndSeeded, row, said, sharedHost, title } from './browser-window.ts'
import { eventually } from './eventually.ts'

describe('the Memories screen', needs(chromium()), () => {
  const host = sharedHost(readyAndSeeded)

  test('lists what is held, newest first, and shows one', async () => {
    const page = await host.open()
    await eventually(() => page.getByRole('option').count()).toBe(8)
    await eventually(() => chosen(page).textContent()).toContain('deploy/window/prod')
    await eventually(() => title(page).textContent()).toBe('Production deploys run Tuesday and Thursday only; never Friday.')
  })

  test('searches as one types, says why, and marks what matched', async () => {
    const page = await host.open()
    await page.keyboard.press('/')
    await page.keyboard.type('when do we deploy')
    await page.getByText('by meaning and words').waitFor()
    await eventually(() => page.locator('.row mark').allTextContents()).toContain('deploy')
    await eventually(() => page.locator('.row .tags').first().textContent()).toMatch(/matches deploy/)
    await page.keyboard.press('Escape')
    await page.getByText('8 memories', { exact: true }).waitFor()
  })

  test('finds words in scripts without spaces', async () => {
    const page = await host.open()
    await page.keyboard.press('/')
    await page.keyboard.type('連絡先')
    await eventually(() => page.getByRole('option').first().textContent()).toContain('佐藤')
  })

  test('says when nothing is near, and offers to write it down', async () => {
    const page = await host.open()
    await page.keyboard.press('/')
    await page.keyboard.type('zygomorphic')
    await page.getByRole('heading', { name: 'Nothing near this' }).waitFor()
    await page.getByRole('button', { name: 'Write it down' }).click()
    await eventually(() => claim(page).inputValue()).toBe('zygomorphic')
  })

  test('is moved through by keys alone', async () => {
    const page = await host.open()
    await row(page, 'service/limits').waitFor()
    const at = () => chosen(page).getAttribute('aria-posinset')
    await page.keyboard.press('j')
    await eventually(at).toBe('2')
    await page.keyboard.press('ArrowDown')
    await eventually(at).toBe('3')
    await page.keyboard.press('k')
    await eventually(at).toBe('2')
    await page.keyboard.press('End')
    await eventually(at).toBe('8')
    await page.keyboard.press('Home')
    await eventually(at).toBe('1')
    await page.keyboard.press('Enter')
    await eventually(() => reader(page).evaluate((pane) => pane === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await eventually(() => page.getByRole('listbox').evaluate((list) => list === document.activeElement)).toBe(true)
    // From within the search field too, without leaving it.
    await page.keyboard.press('/')
    await page.keyboard.press('ArrowDown')
    await eventually(at).toBe('2')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'All keys' })
    await keys.waitFor()
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.getByRole('dialog', { name: 'Write a memory' }).waitFor()
  })

  test('shows versions as what each changed, and where a memory comes from', async () => {
    const page = await host.open()
    await row(page, 'deploy/window/prod').click()
    const versions = reader(page).getByRole('region', { name: 'Versions' })
    await eventually(() => versions.getByRole('listitem').count()).toBe(2)
    await eventually(() => versions.locator('del').allTextContents()).toEqual(['Wednesday only'])
    await eventually(() => versions.locator('ins').allTextContents()).toEqual(['Thursday only; never Friday'])
    await row(page, 'runbook/rollback').click()
    await reader(page).getByText('Written by you, as ops-bot, from docs/rollback.md.').waitFor()
  })

  test('shows values as data: set out, and nothing in them runs', async () => {
    const page = await host.open()
    await row(page, 'service/limits').click()
    await eventually(() => reader(page).locator('pre').textContent()).toContain('<img src=x onerror=alert(1)>')
    expect(await reader(page).locator('img').count()).toBe(0)
  })

  test('retires with Delete, takes it back with U, and lists what is deleted', async () => {
    const page = await host.open()
    await row(page, 'office/berlin/hours').click()
    await eventually(() => title(page).textContent()).toContain('Berlin')
    await page.keyboard.press('Delete')
    await eventually(() => said(page).textContent()).toMatch(/office\/berlin\/hours is retired\. It can be restored until/)
    await eventually(() => row(page, 'office/berlin/hours').count()).toBe(0)
    expect(await host.call('memory.get', { namespace: 'local', memory_key: 'office/berlin/hours' })).toMatchObject({
      found: false,
      reason: 'deleted',
    })

    await page.keyboard.press('u')
    await row(page, 'office/berlin/hours').waitFor()
    expect(await host.call('memory.get', { namespace: 'local', memory_key: 'office/berlin/hours' })).toMatchObject({
      found: true,
      value: 'The office in Berlin opens at eight.',
    })

    await row(page, 'office/berlin/hours').click()
    await page.keyboard.press('Delete')
    await eventually(() => said(page).textContent()).toMatch(/office\/berlin\/hours is retired/)
    await page.getByRole('button', { name: 'Status: Current' }).click()
    await page.getByRole('menuitemradio', { name: 'Deleted' }).click()
    await row(page, 'office/berlin/hours').click()
    await reader(page).getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('heading', { name: 'Nothing deleted' }).waitFor()
    expect(await host.call('memory.get', { namespace: 'local', memory_key: 'office/berlin/hours' })).toMatchObject({ found: true })
  })

  test('shows what an agent writes meanwhile, without being asked', async () => {
    const page = await host.open()
    await row(page, 'service/limits').waitFor()
    await host.call('memory.set', {
      namespace: 'local',
      agent: 'ops-bot',
      memory_key: 'garage/places',
      value: 'Two parking places belong to the second floor.',
    })
    await row(page, 'garage/places').waitFor()
    await host.call('memory.delete', { namespace: 'local', agent: 'ops-bot', memory_key: 'garage/places' })
    await row(page, 'garage/places').waitFor({ state: 'detached' })
  })

  test('goes between namespaces, and searches them all', async () => {
    await host.call('memory.set', { namespace: 'home', memory_key: 'house/wifi', value: 'Guests use the second wireless network.' })
    const page = await host.open()
    await page.getByRole('button', { name: /^home/ }).click()
    await eventually(() => page.getByRole('option').count()).toBe(1)
    await page
      .getByRole('button', { name: /^local/ })
      .first()
      .click()
    await page.keyboard.press('/')
    await page.keyboard.type('wireless')
    await page.getByRole('button', { name: 'Search everywhere' }).click()
    await row(page, 'house/wifi').waitFor()
    await eventually(() => row(page, 'house/wifi').textContent()).toContain('home')
  })

  test('filters by tag', async () => {
    const page = await host.open()
    await page.getByRole('button', { name: 'Any tag' }).click()
    await page.getByRole('button', { name: 'runbook', exact: true }).click()
    await eventually(() => page.getByRole('option').count()).toBe(1)
    // The small window of the tags takes the keys until it is gone.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await eventually(() => page.getByRole('option').count()).toBe(8)
  })
})
