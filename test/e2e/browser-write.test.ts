import { describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { chosen, claim, openWrite, reader, readyAndSeeded, row, said, sharedHost, title, verdict } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

const RIVAL = 'The office in Berlin opens at ten.'

describe('writing in the window', needs(chromium()), () => {
  const host = sharedHost(readyAndSeeded)
  const get = (key: string) => host.call('memory.get', { namespace: 'local', memory_key: key })
  const counts = async () => (await host.call('engine.info', {}))['counts'] as { memories: number; versions: number }

  test('shows a conflict and its peer before anything is stored', async () => {
    const before = await counts()
    const page = await host.open()
    await openWrite(page)
    await page.keyboard.type(RIVAL)
    await eventually(() => verdict(page).textContent()).toMatch(/^Conflict with one memory/)
    const peer = page.getByRole('region', { name: 'Verdict' }).locator('.peer')
    await eventually(() => peer.textContent()).toContain('office/berlin/hours')
    await eventually(() => peer.locator('mark').allTextContents()).toEqual(['eight'])
    expect(await counts()).toEqual(before)

    await page.keyboard.press('Control+Enter')
    await eventually(() => said(page).textContent()).toMatch(/is saved, in conflict with another memory/)
    const card = reader(page).getByRole('region', { name: 'Conflicts with another memory' })
    await card.waitFor()
    await eventually(() => card.locator('mark').allTextContents()).toEqual(['ten', 'eight'])
    expect(await get('office/berlin')).toMatchObject({ found: true, status: 'conflicted', value: RIVAL })
    await page.keyboard.press('u')
    await eventually(() => get('office/berlin')).toMatchObject({ found: false })
  })

  test('updates the peer instead', async () => {
    const page = await host.open()
    await openWrite(page)
    await page.keyboard.type(RIVAL)
    await eventually(() => verdict(page).textContent()).toMatch(/^Conflict/)
    await page.keyboard.press('Alt+u')
    await eventually(() => verdict(page).textContent()).toMatch(/^Clear/)
    await page.keyboard.press('Control+Enter')
    await eventually(() => said(page).textContent()).toMatch(/office\/berlin\/hours is changed/)
    expect(await get('office/berlin/hours')).toMatchObject({ value: RIVAL, tags: ['office'], agent: 'ops-bot' })
    await page.keyboard.press('u')
    await eventually(() => get('office/berlin/hours')).toMatchObject({ value: 'The office in Berlin opens at eight.' })
  })

  test('suggests a key, checks, and saves what is clear by keys alone', async () => {
    const page = await host.open()
    // Without waiting: what a fast hand types after the key is the claim.
    await page.keyboard.press('n')
    await page.keyboard.type('The coffee machine is cleaned every Friday afternoon.')
    // At once: the save waits for the verdict by itself.
    await page.keyboard.press('Control+Enter')
    await eventually(() => said(page).textContent()).toMatch(/coffee\/machine is saved/)
    await eventually(() => chosen(page).textContent()).toContain('coffee/machine')
    expect(await get('coffee/machine')).toMatchObject({ found: true, status: 'active' })
  })

  test('never writes over a key by a suggestion', async () => {
    const page = await host.open()
    await openWrite(page)
    await page.keyboard.type('The coffee machine is red.')
    await eventually(() => verdict(page).textContent()).not.toMatch(/^(Checking|Checked)/)
    expect(await page.getByRole('textbox', { name: 'Key' }).getAttribute('placeholder')).not.toBe('coffee/machine')
  })

  test('says which key holds the same words, and opens it', async () => {
    const page = await host.open()
    await openWrite(page)
    await page.keyboard.type('the office in Berlin opens at eight')
    await eventually(() => verdict(page).textContent()).toMatch(/^Already known, in the same words/)
    await page.getByText('it confirms office/berlin/hours').waitFor()
    await page.keyboard.press('Control+Enter')
    await eventually(() => title(page).textContent()).toBe('The office in Berlin opens at eight.')
  })

  test('cannot be made to save while something is wrong', async () => {
    const before = await counts()
    const page = await host.open()
    await openWrite(page)
    await page.keyboard.type('The lift is out of order.')
    await page.getByRole('textbox', { name: 'Key' }).fill('lift\u0007')
    await page.getByText('Cannot be saved yet').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('Alt+s')
    await eventually(() => page.getByRole('button', { name: 'Save', exact: true }).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('dialog').waitFor()
    expect(await counts()).toEqual(before)
  })

  test('takes a secret out before it is stored anywhere', async () => {
    const page = await host.open()
    await openWrite(page)
    await page.keyboard.type('The staging database password is violet-harbour-41.')
    await eventually(() => verdict(page).textContent()).toMatch(/^This looks like a secret/)
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('violet')
    await page.getByRole('button', { name: 'staging/database/password' }).waitFor()
    expect(await page.locator('.hint').textContent()).not.toContain('violet')
    await page.keyboard.press('Control+Enter')
    await eventually(() => claim(page).inputValue()).toBe('The staging database password is [kept elsewhere].')
    await page.keyboard.type('in the vault')
    await eventually(() => claim(page).inputValue()).toBe('The staging database password is in the vault.')
  })

  test('keeps a draft over Escape and a restart', async () => {
    const page = await host.open()
    await openWrite(page)
    await page.keyboard.type('Half a thought')
    await page.keyboard.press('Escape')
    await page.reload()
    await row(page, 'service/limits').waitFor()
    await openWrite(page)
    await eventually(() => claim(page).inputValue()).toBe('Half a thought')
    await page.getByRole('button', { name: 'Start afresh' }).click()
    await eventually(() => claim(page).inputValue()).toBe('')
  })

  test('edits on what was read, and shows what changed meanwhile', async () => {
    const page = await host.open()
    await row(page, 'runbook/rollback').click()
    await eventually(() => title(page).textContent()).toContain('Roll back')
    await page.keyboard.press('e')
    const text = claim(page)
    await text.fill('Roll back payments with the last good image tag.')
    await host.call('memory.set', {
      namespace: 'local',
      agent: 'ops-bot',
      memory_key: 'runbook/rollback/payments',
      value: 'Roll back payments with the previous image digest; migrations are forward only.',
    })
    await eventually(() => verdict(page).first().textContent()).not.toMatch(/^Check/)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Changed while you wrote').waitFor()
    await eventually(() => page.locator('.peer.moved ins').allTextContents()).toEqual(['digest'])
    await page.getByRole('button', { name: 'Save over it' }).click()
    await eventually(() => said(page).textContent()).toMatch(/is changed/)
    expect(await get('runbook/rollback/payments')).toMatchObject({
      value: 'Roll back payments with the last good image tag.',
      tags: ['runbook'],
    })
  })

  test('says so when a pinned memory stands against it', async () => {
    const page = await host.open()
    await row(page, 'deploy/notify').click()
    await eventually(() => title(page).textContent()).toContain('announced')
    await page.keyboard.press('p')
    await eventually(() => said(page).textContent()).toMatch(/is pinned/)
    await row(page, 'deploy/notify').getByText('Pinned').waitFor()
    await page.keyboard.press('e')
    await claim(page).fill('Production deploys are announced nowhere.')
    await eventually(() => verdict(page).textContent()).toMatch(/^Refused/)
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.press('u')
    await row(page, 'deploy/notify').getByText('Pinned').waitFor({ state: 'detached' })
  })

  test('the same form has a page of its own, where the next one begins after a save', async () => {
    const page = await host.open()
    await page.goto(`${host.url}/write`)
    await page.getByRole('main', { name: 'Write a memory' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    await eventually(() => sideways(page)).toBe(0)
    await shot(page, 'write-page-320')
    await eventually(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
    await page.keyboard.type('The garden hose hangs behind the shed.')
    await page.keyboard.press('Control+Enter')
    await eventually(() => said(page).textContent()).toMatch(/garden\/hose\/hangs is saved/)
    await eventually(() => claim(page).inputValue()).toBe('')
    expect(await get('garden/hose/hangs')).toMatchObject({ found: true })
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    await page.goto(`${host.url}/find`)
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('combobox')
    await page.keyboard.type('garden hose')
    await page.getByRole('option').filter({ hasText: 'behind the shed' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await eventually(() => title(page).textContent()).toContain('The garden hose hangs behind the shed.')
  })
})
