import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { openReceiver, status, type Receiver } from '../helpers/receiver.ts'
import { chromium, needs } from '../helpers/requirements.ts'
import { connectAlice, openTeamServer, type TeamServer } from './browser-team.ts'
import { said, section, sharedHost, startBrowserHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

const SECRET = 'a plain secret of the team'
const card = (page: Page, address: string) => page.getByRole('listitem').filter({ hasText: address })
const delivery = (page: Page, text: string) => section(page).getByRole('row').filter({ hasText: text })
const states = (page: Page) => page.getByRole('group', { name: 'Show' })

describe('webhooks of a team in the window', needs(chromium()), () => {
  let server: TeamServer
  let receiver: Receiver
  const host = sharedHost(prepare)

  const team: TeamServer['call'] = (op, input) => server.call(op, input)
  const write = (memory_key: string, value: string) => team('memory.set', { namespace: 'chat', agent: 'ops-bot', memory_key, value })
  const url = (path: string) => `http://127.0.0.1:${receiver.port}${path}`
  const events = (path: string) => receiver.events(path).map((event) => `${String(event['type'])} ${String(event['memory_key'])}`)
  async function open(options = {}): Promise<Page> {
    const page = await host.open(options)
    await page.keyboard.press('Control+7')
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await section(page).getByRole('heading', { name: 'Register an address' }).waitFor()
    return page
  }
  async function register(page: Page, address: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Address of the receiver' }).fill(address)
    await page.keyboard.press('Enter')
  }

  async function prepare(): Promise<void> {
    receiver = await openReceiver()
    server = await openTeamServer({
      LOOM_MEMORY_WEBHOOK_ALLOW_HTTP: 'true',
      LOOM_MEMORY_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
      LOOM_WEBHOOK_SECRET_ACME__CHAT: SECRET,
    })
    await connectAlice(host, server, { chat: 'admin' })
  }
  afterAll(async () => {
    await host.kill()
    await receiver?.close()
    await server?.[Symbol.asyncDispose]()
  })

  test('an address is registered, tested and told of changes [WHK005]', async () => {
    const page = await open()
    await section(page).getByText('Nobody is told yet').waitFor()
    await register(page, url('/a'))
    await eventually(() => said(page).textContent()).toContain('is told of changes from now on.')
    await card(page, url('/a')).getByText('The server has it').waitFor()
    expect(await team('webhook.list', { namespace: 'chat' })).toMatchObject({ webhooks: [{ url: url('/a'), created_by: 'human:alice' }] })

    await card(page, url('/a'))
      .getByRole('button', { name: /^Send a test event/ })
      .click()
    await eventually(() => card(page, url('/a')).getByRole('status').textContent()).toMatch(/took the test event: 204/)
    const [sent] = receiver.received
    const signed = `${String(sent?.headers['webhook-id'])}.${String(sent?.headers['webhook-timestamp'])}.${String(sent?.body)}`
    expect(sent?.headers['webhook-signature']).toBe(`v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`)
    expect(receiver.events('/a')).toMatchObject([{ type: 'webhook.test', actor: 'human:alice' }])

    await write('office/berlin/hours', 'The office in Berlin opens at eight.')
    await eventually(() => events('/a')).toContain('memory.written office/berlin/hours')
    await delivery(page, 'memory.written').filter({ hasText: 'Delivered' }).waitFor()
    await eventually(() => card(page, url('/a')).textContent()).toContain('taken, 204')
  })

  test('what is refused is said at its field, and nothing is registered', async () => {
    const page = await open()
    const before = await team('webhook.list', { namespace: 'chat' })
    const alert = () => section(page).getByRole('alert').textContent()
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))
    await register(page, 'hooks.example.com')
    await eventually(alert).toContain('It begins with https://.')
    await register(page, 'http://10.0.0.7/loom')
    await eventually(alert).toContain('its host must be public')
    await eventually(focused).toBe('true')
    await page.getByRole('textbox', { name: 'Variable of the server' }).fill('PATH')
    await register(page, url('/never'))
    await eventually(alert).toContain('secret_ref must name a webhook secret of this org')
    await page.getByRole('textbox', { name: 'Variable of the server' }).fill('LOOM_WEBHOOK_SECRET_ACME__CHAT')
    for (const box of await section(page).getByRole('checkbox').all()) await box.uncheck()
    await section(page).getByRole('button', { name: 'Register' }).click()
    await eventually(alert).toContain('Choose at least one kind of change.')
    await eventually(focused).toBe('true')
    expect(await violations(page)).toEqual([])
    expect(await team('webhook.list', { namespace: 'chat' })).toEqual(before)
  })

  test('a receiver that fails, and a secret that is not there, are told with the reason; deliveries go by state', async () => {
    const page = await open()
    receiver.answer = status(503)
    await write('office/paris/hours', 'The office in Paris opens at nine.')
    await delivery(page, 'it answered 503').filter({ hasText: 'Waiting' }).waitFor()
    await eventually(() => delivery(page, 'it answered 503').first().textContent()).toMatch(/\d attempts?.*next at \d/)
    await card(page, url('/a')).getByText('it answered 503').waitFor()
    await card(page, url('/a'))
      .getByRole('button', { name: /^Send a test event/ })
      .click()
    await eventually(() => card(page, url('/a')).getByRole('status').textContent()).toMatch(/did not take the test event: it answered 503/)
    await shot(page, 'webhooks-failed-light')
    await states(page).getByText('Given up').click()
    await section(page).getByText('No event in this state.').waitFor()
    await states(page).getByText('Waiting').click()
    await delivery(page, 'it answered 503').first().waitFor()
    await eventually(() => delivery(page, 'Delivered').count()).toBe(0)
    await states(page).getByText('All').click()
    receiver.answer = status(204)

    await page.getByRole('textbox', { name: 'Variable of the server' }).fill('LOOM_WEBHOOK_SECRET_ACME__LOST')
    for (const name of ['changed', 'deleted'])
      await section(page)
        .getByRole('checkbox', { name: `${name} memories` })
        .uncheck()
    await register(page, url('/b'))
    await card(page, url('/b')).getByText('The server lacks it').waitFor()
    await eventually(() => card(page, url('/b')).textContent()).toContain('new memories, restored memories, redacted versions, erasures')
    await card(page, url('/b'))
      .getByRole('button', { name: /^Send a test event/ })
      .click()
    await eventually(() => card(page, url('/b')).getByRole('status').textContent()).toContain('the server has no usable secret')
    expect(receiver.events('/b')).toEqual([])
  })

  test.each(['light', 'dark'] as const)('axe finds nothing, and nothing runs out sideways: %s', async (colorScheme) => {
    const page = await open({ colorScheme })
    await card(page, url('/b')).waitFor()
    await delivery(page, 'Delivered').first().waitFor()
    expect(await violations(page)).toEqual([])
    await shot(page, `webhooks-${colorScheme}`)
    await section(page).getByRole('heading', { name: 'Recent deliveries' }).scrollIntoViewIfNeeded()
    await shot(page, `webhooks-end-${colorScheme}`)
    await page.setViewportSize({ width: 320, height: 800 })
    await eventually(() => sideways(page)).toBe(0)
    expect(await violations(page)).toEqual([])
    await delivery(page, 'Delivered').last().scrollIntoViewIfNeeded()
    await shot(page, `webhooks-320-end-${colorScheme}`)
    await section(page).getByRole('heading', { name: 'Webhooks' }).scrollIntoViewIfNeeded()
    await shot(page, `webhooks-320-${colorScheme}`)
  })

  test('one is removed after it was said what that does, and what waited for it is given up', async () => {
    const page = await open()
    await write('office/oslo/hours', 'The office in Oslo opens at ten.')
    await card(page, url('/b')).getByText('1 event', { exact: true }).waitFor()
    const remove = card(page, url('/b')).getByRole('button', { name: `Remove ${url('/b')}` })
    await remove.click()
    await card(page, url('/b')).getByText('1 event that waits will not be sent.').waitFor()
    expect(await violations(page)).toEqual([])
    await shot(page, 'webhooks-remove-light')
    await page.keyboard.press('Escape')
    await eventually(() => remove.evaluate((button) => button === document.activeElement)).toBe(true)
    await remove.click()
    await card(page, url('/b')).getByRole('button', { name: 'Remove', exact: true }).click()
    await eventually(() => said(page).textContent()).toContain('1 event will not be sent.')
    await eventually(() => card(page, url('/b')).count()).toBe(0)
    await delivery(page, 'webhook removed').filter({ hasText: 'a removed webhook' }).waitFor()
  })

  test('nobody but an admin of a team has that line', async () => {
    await using other = await startBrowserHost()
    const page = await other.open()
    await page.goto(`${other.url}/#/local/settings/webhooks`)
    await section(page).getByRole('heading', { name: 'There are no webhooks for you to see' }).waitFor()
    expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
    expect(other.faults).toEqual([])
  })
})
