import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { chromium, needs } from '../helpers/requirements.ts'
import { connectAlice, openTeamServer, untilInStep, type TeamServer } from './browser-team.ts'
import { chosen, modelsReady, openWrite, pane, reader, row, said, section, sharedHost, startBrowserHost, title } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { sideways, violations } from './page-checks.ts'

/** Keys of their own things: the same fact under two keys would be one. */
const TEAMS = ['mobile', 'payments', 'search', 'billing']
const mine = (name: string): string => `Aylin Kaya leads the ${name} team.`
const theirs = (name: string): string => `Jonas Weber leads the ${name} team.`
const keyOf = (name: string): string => `team/lead/${name}`
const WHERE = { namespace: 'chat', agent: 'ops-bot' }

const foot = (page: Page) => page.locator('.sync-foot')
const onSync = (page: Page, key: string) => row(page, key).filter({ hasText: 'Changed on sync' })

describe('a window with a team', needs(chromium()), () => {
  let server: TeamServer
  /** Connected from the start, over a line that can be cut. */
  const host = sharedHost(prepare)

  const team: TeamServer['call'] = (op, input) => server.call(op, input)
  const here = (op: string, input: Record<string, unknown>) => host.call(op, { org: 'acme', ...WHERE, ...input })
  /** Both sides write the same key without knowing of each other: what was written here came first, and loses. */
  async function contradict(): Promise<string> {
    const name = TEAMS.shift() ?? ''
    const memory_key = keyOf(name)
    await team('memory.set', { ...WHERE, memory_key, value: `Nobody leads the ${name} team.` })
    await eventually(() => here('memory.get', { memory_key })).toMatchObject({ found: true })
    await server.line.cut()
    await here('memory.set', { memory_key, value: mine(name) })
    await team('memory.set', { ...WHERE, memory_key, value: theirs(name) })
    await server.line.join()
    await untilInStep(host)
    return name
  }
  async function openReview(options = {}): Promise<Page> {
    const page = await host.open(options, '#/acme%2Fchat')
    await row(page, 'office/berlin/hours').waitFor()
    await page.keyboard.press('Control+2')
    return page
  }

  async function prepare(): Promise<void> {
    server = await openTeamServer()
    await team('memory.set', { ...WHERE, memory_key: 'office/berlin/hours', value: 'The office in Berlin opens at eight.' })
    await modelsReady(host)
    await host.call('memory.set', { namespace: 'local', memory_key: 'home/wifi', value: 'The guest network is called Linde.' })
    await connectAlice(host, server, { chat: 'writer' })
  }
  afterAll(async () => {
    await host.kill()
    await server?.[Symbol.asyncDispose]()
  })

  test('connects with what an admin gave out, says what is wrong with it, and leaves again', async () => {
    await using other = await startBrowserHost()
    const page = await other.open()
    await eventually(() => foot(page).count()).toBe(0)
    await page.keyboard.press('Control+7')
    await page.getByRole('heading', { name: 'Work with a team' }).waitFor()
    const link = page.getByRole('textbox', { name: 'Pairing link' })
    await link.fill(`loom://pair?server=${encodeURIComponent('http://loom.example')}&code=7F3K-Q2ZD-M8VA`)
    await page.keyboard.press('Enter')
    await page.getByText('tick the box').waitFor()
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('checkbox')
    await link.fill(`loom://pair?server=${encodeURIComponent(server.url)}&code=7F3K-Q2ZD-M8VA`)
    await eventually(() => page.getByRole('checkbox').count()).toBe(0)
    await page.keyboard.press('Enter')
    await eventually(() => page.getByRole('alert').textContent()).toMatch(/Ask for a new one/)
    expect(await violations(page)).toEqual([])

    await page.getByRole('button', { name: 'Type address and code instead' }).click()
    await page.getByRole('textbox', { name: 'Address of the server' }).fill(server.url)
    const { code } = await team('pair.create', { subject: 'alice', grants: { chat: 'writer' } })
    await page.getByRole('textbox', { name: 'Code' }).fill(String(code).toLowerCase())
    await page.keyboard.press('Enter')
    await eventually(() => said(page).textContent()).toMatch(/^Connected as alice to acme/)
    await eventually(() => section(page).textContent()).toContain('Everything here is on')
    await eventually(() => foot(page).textContent()).toContain('Nothing waiting')
    await section(page).getByRole('link', { name: 'acme/chat' }).click()
    await row(page, 'office/berlin/hours').click()
    await eventually(() => title(page).textContent()).toContain('opens at eight')

    await page.keyboard.press('Control+7')
    await section(page).getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('radio', { name: 'Delete them' }).check()
    await section(page)
      .getByRole('button', { name: /^Disconnect and delete \d+ memor/ })
      .click()
    await eventually(() => said(page).textContent()).toMatch(/^Disconnected from .* went from this computer/)
    await page.getByRole('heading', { name: 'Work with a team' }).waitFor()
    await eventually(() => foot(page).count()).toBe(0)
    await eventually(() => page.getByRole('button', { name: /^acme\/chat/ }).count()).toBe(0)
    expect(other.faults.filter((fault) => !/status of 40[34]/.test(fault))).toEqual([])
    await other.kill()
  })

  test('a teammate’s change comes in while one looks on', async () => {
    const page = await host.open({}, '#/acme%2Fchat')
    await row(page, 'office/berlin/hours').waitFor()
    const from = performance.now()
    await team('memory.set', { ...WHERE, memory_key: 'office/berlin/door', value: 'The door code is changed every May.' })
    await row(page, 'office/berlin/door').waitFor()
    process.stderr.write(`a teammate's change to the window: ${(performance.now() - from).toFixed(0)} ms\n`)
    await page.getByRole('button', { name: /^local/ }).click()
    await row(page, 'home/wifi').waitFor()
    expect(await row(page, 'office/berlin').count()).toBe(0)
  })

  test('offline, work goes on: what waits says so, and is sent when the server is back', async () => {
    const page = await host.open({}, '#/acme%2Fchat')
    await row(page, 'office/berlin/hours').waitFor()
    await server.line.cut()
    await openWrite(page)
    await page.keyboard.type('The gate is opened with the blue key.')
    await page.keyboard.press('Control+Enter')
    await row(page, 'gate').getByText('Waiting').waitFor()
    await reader(page)
      .getByText(/^Waits to be sent/)
      .waitFor()
    await eventually(() => foot(page).textContent()).toContain('Offline, 1 waiting')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Control+7')
    await section(page).getByRole('button', { name: 'Disconnect' }).click()
    await section(page).getByRole('button', { name: 'Disconnect', exact: true }).click()
    await eventually(() => section(page).getByRole('alert').textContent()).toMatch(/^Tick the box/)
    await page.keyboard.press('Escape')
    await server.line.join()
    await untilInStep(host)
    await eventually(() => foot(page).textContent()).toContain('Nothing waiting')
    await page.keyboard.press('Control+1')
    await row(page, 'gate').waitFor()
    await eventually(() => row(page, 'gate').getByText('Waiting').count()).toBe(0)
  })

  test('what the server settled otherwise is decided by keyboard: mine, and then the server’s', async () => {
    const [first, second] = [await contradict(), await contradict()]
    const page = await host.open({}, '#/local')
    await row(page, 'home/wifi').waitFor()
    await eventually(() => foot(page).textContent()).toContain('2 changes to look at')
    await page.keyboard.press('Control+2')
    await eventually(() => chosen(page).textContent()).toMatch(
      new RegExp(`^${keyOf(second)}Changed on sync.*You wrote Aylin Kaya; the server kept Jonas Weber`),
    )
    await eventually(() => pane(page).locator('mark').allTextContents()).toEqual(['Aylin Kaya', 'Jonas Weber'])
    await page.keyboard.press('1')
    await eventually(() => said(page).textContent()).toContain(`${keyOf(second)} gets your text again`)
    await eventually(() => chosen(page).textContent()).toContain(keyOf(first))
    await page.keyboard.press('2')
    await page.getByRole('heading', { name: 'Nothing to review' }).waitFor()
    await untilInStep(host)
    await eventually(async () => (await team('memory.get', { ...WHERE, memory_key: keyOf(second) }))['value']).toBe(mine(second))
    expect(await team('memory.get', { ...WHERE, memory_key: keyOf(first) })).toMatchObject({ value: theirs(first) })
    expect(await host.call('sync.inbox', {})).toMatchObject({ items: [] })
  })

  test('a choice on a memory that moved on comes back with the reason', async () => {
    const name = await contradict()
    const page = await openReview()
    await onSync(page, keyOf(name)).click()
    await team('memory.set', { ...WHERE, memory_key: keyOf(name), value: `Mara Lind leads the ${name} team.` })
    await eventually(async () => (await here('memory.get', { memory_key: keyOf(name) }))['value']).toContain('Mara')
    await page.keyboard.press('1')
    await eventually(() => pane(page).getByRole('alert').textContent()).toMatch(/^The memory changed again since/)
    await eventually(() => chosen(page).textContent()).toMatch(/Not changed/)
    await page.keyboard.press('o')
    await eventually(() => title(page).textContent()).toBe(`Mara Lind leads the ${name} team.`)
    await host.call('sync.inbox_decide', { item_id: await onlyItem(), choice: 'accept' })
  })

  test('[CHG024] what a lock on the server refused is shown with the reason, and taken back here', async () => {
    const memory_key = 'ops/oncall'
    await team('memory.set', { ...WHERE, memory_key, value: 'The phone on call lies in the red drawer.' })
    await eventually(() => here('memory.get', { memory_key })).toMatchObject({ found: true })
    await server.line.cut()
    await team('memory.lock', { ...WHERE, memory_key, mode: 'read_only', reason: 'policy' })
    await here('memory.set', { memory_key, value: 'The phone on call lies in the blue cupboard.' })
    await server.line.join()
    await untilInStep(host)
    const page = await openReview()
    await onSync(page, memory_key).click()
    await eventually(() => pane(page).textContent()).toContain('The server did not take your change')
    await eventually(() => pane(page).textContent()).toContain('It is locked there.')
    await eventually(() => pane(page).locator('mark').allTextContents()).toEqual(['blue cupboard', 'red drawer'])
    expect(await here('memory.get', { memory_key })).toMatchObject({ value: 'The phone on call lies in the red drawer.' })
    await pane(page).getByRole('button', { name: 'Keep the server’s' }).click()
    await eventually(() => said(page).textContent()).toContain(`${memory_key} stands as the server has it`)
    await eventually(() => onSync(page, memory_key).count()).toBe(0)
  })

  const onlyItem = async (): Promise<unknown> => ((await host.call('sync.inbox', {}))['items'] as { item_id: string }[])[0]?.item_id

  test('axe finds nothing, in both themes and directions, and 320 px are enough', async () => {
    const name = await contradict()
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openReview({ colorScheme, reducedMotion: 'reduce' })
      await onSync(page, keyOf(name)).click()
      await pane(page).getByRole('button', { name: 'Use mine' }).waitFor()
      expect(await violations(page)).toEqual([])
      await page.keyboard.press('Control+7')
      await page.getByText('What is here').click()
      await section(page).getByRole('button', { name: 'Disconnect' }).click()
      expect(await violations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Appearance and keys' }).click()
      await page.getByRole('radio', { name: 'Right to left' }).check({ force: true })
      expect(await violations(page)).toEqual([])
      await page.keyboard.press('Control+2')
      await onSync(page, keyOf(name)).click()
      await pane(page).getByRole('button', { name: 'Use mine' }).waitFor()
      expect(await violations(page)).toEqual([])
      await page.context().close()
    }
    const page = await openReview({ viewport: { width: 320, height: 640 } })
    await onSync(page, keyOf(name)).click()
    await pane(page).getByRole('button', { name: 'Keep the server’s' }).waitFor()
    await eventually(() => sideways(page)).toBe(0)
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: /^Team/ }).click()
    await section(page).getByRole('button', { name: 'Disconnect' }).click()
    await eventually(() => sideways(page)).toBe(0)
    expect(await violations(page)).toEqual([])
  })
})
