import { chromium as playwright, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'
import { cleanEnv, post, scratchHome, startHeadless } from '../helpers/headless.ts'
import { chromium } from '../helpers/requirements.ts'
import { PATIENCE, untilFocused } from './eventually.ts'

/** A real host with its own data folder, and a real Chromium on what it serves. */
export interface BrowserHost extends AsyncDisposable {
  readonly url: string
  /** Faults that any page logged or threw; a test ends by finding it empty. */
  readonly faults: string[]
  /** Kills the host with no warning. */
  kill(): Promise<void>
  /** Starts it again where it was. */
  restart(): Promise<void>
  /** Calls an operation past the window, as an agent would. */
  call(op: string, input: unknown): Promise<Record<string, unknown>>
  /** A window of its own: nothing is kept from one to the next. `firstRun`: with the steps of a first start, if there are any. */
  open(options?: BrowserContextOptions, path?: string, firstRun?: boolean): Promise<Page>
  closeWindows(): Promise<void>
}

/** What an agent knows of a small company; enough to search, compare and clash. */
export const CLAIMS: readonly Record<string, unknown>[] = [
  { memory_key: 'office/berlin/hours', value: 'The office in Berlin opens at eight.', tags: ['office'] },
  { memory_key: 'deploy/window/staging', value: 'Staging deploys run on every merge to main, at any hour.', tags: ['deploy'] },
  {
    memory_key: 'deploy/notify/channel',
    value: 'Every production deploy is announced in #releases ten minutes before it starts.',
    tags: ['deploy'],
  },
  {
    memory_key: 'runbook/rollback/payments',
    value: 'Roll back payments with the previous image tag; migrations are forward only.',
    tags: ['runbook'],
    source_resource_id: 'docs/rollback.md',
  },
  { memory_key: 'デプロイ/連絡先', value: '本番デプロイの連絡先は佐藤さん、夜間は当番チャンネル。', tags: ['連絡先'] },
  { memory_key: 'دعم/مواعيد', value: 'فريق الدعم يعمل من الأحد إلى الخميس، من التاسعة حتى الخامسة.', tags: ['دعم'] },
  { memory_key: 'service/limits', value: { requests_per_minute: 600, html: '<img src=x onerror=alert(1)>' }, tags: ['limits'] },
  { memory_key: 'deploy/window/prod', value: 'Production deploys run Tuesday and Wednesday only.', tags: ['deploy', 'policy'] },
  {
    memory_key: 'deploy/window/prod',
    value: 'Production deploys run Tuesday and Thursday only; never Friday.',
    tags: ['deploy', 'policy'],
  },
]

/** Has a page begin as one that was seen before. */
export function passFirstRun(): void {
  if (localStorage.getItem('loom.preferences') === null) localStorage.setItem('loom.preferences', '{"firstRun":"seen"}')
}

export async function startBrowserHost(settings: Readonly<Record<string, string>> = {}): Promise<BrowserHost> {
  const { home, drop } = await scratchHome()
  const env = cleanEnv({ LOOM_HOME: home, ...settings })
  let host = await startHeadless(env)
  const { url } = host
  const { path, args } = chromium()
  let browser: Browser | null = null
  const faults: string[] = []
  const contexts: BrowserContext[] = []

  return {
    url,
    faults,
    kill: async () => void (await host.stop('SIGKILL')),
    async restart() {
      host = await startHeadless({ ...env, LOOM_PORT: new URL(url).port })
    },
    async call(op, input) {
      const { status, body } = await post(url, op, input)
      expect(status, `${op}: ${JSON.stringify(body)}`).toBe(200)
      return body
    },
    async open(options = {}, route = '', firstRun = false) {
      browser ??= await playwright.launch({ executablePath: path, args: [...args] })
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options })
      contexts.push(context)
      context.setDefaultTimeout(PATIENCE)
      if (!firstRun) await context.addInitScript(passFirstRun)
      const page = await context.newPage()
      // A refusal is an answer; the browser logs it all the same.
      page.on(
        'console',
        (message) =>
          message.type() === 'error' && !/status of (409|422|423)/.test(message.text()) && faults.push(message.text().slice(0, 200)),
      )
      page.on('pageerror', (error) => faults.push(error.message))
      await page.goto(`${url}/${route}`)
      if (!firstRun) await page.getByRole('combobox', { name: 'Search' }).waitFor()
      return page
    },
    async closeWindows() {
      for (const context of contexts.splice(0)) await context.close()
    },
    async [Symbol.asyncDispose]() {
      await browser?.close()
      await host.stop()
      await drop()
    },
  }
}

/**
 * The host of all tests of a `describe`, made ready before the first; by default it has its models. After each test its windows
 * are closed, and none of them may have logged a fault.
 * @param settings of its environment, asked for when it starts
 */
export function sharedHost(
  prepare: (host: BrowserHost) => Promise<unknown> = modelsReady,
  settings: () => Readonly<Record<string, string>> = () => ({}),
): BrowserHost {
  let host: BrowserHost | undefined
  beforeAll(async () => {
    host = await startBrowserHost(settings())
    await prepare(host)
  })
  afterEach(async () => {
    const faults = host?.faults.splice(0)
    await host?.closeWindows()
    expect(faults).toEqual([])
  })
  afterAll(() => host?.[Symbol.asyncDispose]())
  return new Proxy({} as BrowserHost, { get: (_, name) => host && (Reflect.get(host, name) as unknown) })
}

export async function seed(host: BrowserHost): Promise<void> {
  for (const claim of CLAIMS) await host.call('memory.set', { namespace: 'local', agent: 'ops-bot', ...claim })
}

/** Until the models are there, an answer has no verdict by meaning. */
export async function modelsReady(host: BrowserHost): Promise<void> {
  await vi.waitFor(async () => expect((await host.call('engine.info', {}))['embedder']).toMatchObject({ state: 'ready' }), {
    timeout: PATIENCE,
    interval: 200,
  })
}

/** The window with what every search in it needs: its models, and some claims. */
export async function readyAndSeeded(host: BrowserHost): Promise<void> {
  await modelsReady(host)
  await seed(host)
}

export const row = (page: Page, text: string) => page.getByRole('option').filter({ hasText: text })
export const chosen = (page: Page) => page.getByRole('option', { selected: true })
export const reader = (page: Page) => page.getByRole('region', { name: 'Memory' })
export const title = (page: Page) => reader(page).getByRole('heading', { level: 1 })
/** What is settled in the review. */
export const pane = (page: Page) => page.getByRole('region', { name: 'To settle' })
/** What a screen of sections shows of the one that is chosen. */
export const section = (page: Page) => page.getByRole('region', { name: 'Section' })
/** The bar that says what was done. */
export const said = (page: Page) => page.locator('.undo')
/** The first line of the verdict. */
export const verdict = (page: Page) => page.getByRole('region', { name: 'Verdict' }).locator('.vh')
/** Where a memory is written. */
export const claim = (page: Page) => page.getByRole('textbox', { name: 'The claim' })

/** Opens the form to write with its key. */
export async function openWrite(page: Page): Promise<void> {
  await page.keyboard.press('n')
  await untilFocused(page, 'textarea')
}
