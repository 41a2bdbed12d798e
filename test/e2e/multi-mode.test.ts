import { chromium as playwright, type Browser, type ElectronApplication, type Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cleanEnv, post, scratchHome, startHeadless, type Headless } from '../helpers/headless.ts'
import { chromium, electron, needs } from '../helpers/requirements.ts'
import { chosen, openWrite, row } from './browser-window.ts'
import { launch } from './electron-window.ts'
import { eventually, untilFocused } from './eventually.ts'
import { violations } from './page-checks.ts'

const TOKEN = /loom_[a-z2-7]{16}_[A-Za-z0-9_-]{43}/
const FACT = { namespace: 'local', agent: 'ops-bot', memory_key: 'office/berlin/hours', value: 'The office in Berlin opens at eight.' }

let home: string
let drop: () => Promise<void>
let host: Headless | null = null
const env = (settings: Record<string, string> = {}) => cleanEnv({ LOOM_HOME: home, LOOM_MODE: 'multi', ...settings })

async function start(): Promise<{ url: string; token: string; bearer: { authorization: string } }> {
  const started = await startHeadless(env())
  host = started
  await eventually(() => TOKEN.test(started.stdout())).toBe(true)
  const token = TOKEN.exec(started.stdout())?.[0] ?? ''
  return { url: started.url, token, bearer: { authorization: `Bearer ${token}` } }
}

beforeEach(async () => {
  ;({ home, drop } = await scratchHome())
})
afterEach(async () => {
  await host?.stop('SIGKILL')
  host = null
  await drop()
})

describe('a browser on a Loom in multi mode', needs(chromium()), () => {
  let browser: Browser
  afterEach(() => browser.close())

  async function open(url: string): Promise<{ page: Page; faults: string[] }> {
    const { path, args } = chromium()
    browser = await playwright.launch({ executablePath: path, args: [...args] })
    const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(url)
    return { page, faults }
  }
  const field = (page: Page) => page.getByLabel('Token')

  test('asks for a token, says when it will not do, and then shows and writes memories', async () => {
    const { url, token, bearer } = await start()
    expect((await post(url, 'memory.set', FACT, bearer)).status).toBe(200)
    const { page, faults } = await open(url)
    await page.getByRole('heading', { name: 'This Loom asks for a token' }).waitFor()
    expect(await violations(page)).toEqual([])
    await eventually(() => field(page).evaluate((input) => input === document.activeElement)).toBe(true)

    await page.keyboard.type('nonsense')
    await page.keyboard.press('Enter')
    await page.getByText('Paste a token').waitFor()
    await field(page).fill(`loom_${'a'.repeat(16)}_${'A'.repeat(43)}`)
    await page.keyboard.press('Enter')
    await page.getByText('unknown, expired or revoked').waitFor()

    await field(page).fill(` ${token} `)
    await page.keyboard.press('Enter')
    await row(page, 'office/berlin/hours').waitFor()
    expect(await page.content()).not.toContain(token)
    await openWrite(page)
    await page.keyboard.type('The office in Lisbon opens at nine.')
    await page.keyboard.press('Control+Enter')
    await eventually(() => chosen(page).textContent()).toContain('office/lisbon')

    // The tab keeps it; another does not have it.
    await page.reload()
    await row(page, 'office/berlin/hours').waitFor()
    expect(faults).toEqual([])
  })

  test('asks again when its token is revoked', async () => {
    const { url, bearer } = await start()
    await post(url, 'memory.set', FACT, bearer)
    const { body } = await post(url, 'token.mint', { subject: 'lena', kind: 'human', grants: { local: 'writer' } }, bearer)
    const { token, claims } = body as { token: string; claims: { token_id: string } }
    const { page } = await open(url)
    await field(page).fill(token)
    await page.keyboard.press('Enter')
    await row(page, 'office/berlin/hours').waitFor()
    await post(url, 'token.revoke', { token_id: claims.token_id }, bearer)
    await page.keyboard.press('/')
    await page.keyboard.type('berlin')
    await page.getByText('unknown, expired or revoked').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'This Loom asks for a token' }).waitFor()
  })
})

describe('the window of a desktop in multi mode', needs(electron()), () => {
  let app: ElectronApplication
  let page: Page
  let said: () => string
  afterEach(() => app.close())

  async function open(settings: Record<string, string> = {}): Promise<void> {
    ;({ app, page, said } = await launch(home, { LOOM_MODE: 'multi', ...settings }))
  }

  test('[SET022] needs no token; the first start prints one for others, once', async () => {
    await open()
    await page.getByRole('heading', { name: 'Nothing remembered yet' }).waitFor()
    await page.locator('.ways').getByRole('button', { name: 'Write' }).click()
    await untilFocused(page, 'textarea')
    await page.keyboard.type('The office in Berlin opens at eight.')
    await page.keyboard.press('Control+Enter')
    await eventually(() => chosen(page).textContent()).toContain('office/berlin')
    await eventually(() => TOKEN.test(said())).toBe(true)
    expect(said()).toMatch(/^Loom is running at \S+\n/)
    const [url = '', token = ''] = [/at (\S+)/.exec(said())?.[1], TOKEN.exec(said())?.[0]]
    expect((await post(url, 'memory.list', { namespace: 'local' })).status).toBe(401)
    const listed = await post(url, 'memory.list', { namespace: 'local' }, { authorization: `Bearer ${token}` })
    expect(listed.body['rows']).toMatchObject([{ agent: 'default', actor: 'human:local' }])
    await app.close()
    await open()
    await row(page, 'office/berlin').waitFor()
    expect(said()).not.toMatch(TOKEN)
  })

  test('beside a host of another program it takes LOOM_API_KEY, and says so without', async () => {
    const { url, token, bearer } = await start()
    await post(url, 'memory.set', FACT, bearer)
    await open()
    await page.getByText('Start this window with LOOM_API_KEY').waitFor()
    await app.close()
    await open({ LOOM_API_KEY: token })
    await row(page, 'office/berlin/hours').waitFor()
  })
})
