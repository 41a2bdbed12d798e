import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { cleanEnv } from '../helpers/headless.ts'
import { electron } from '../helpers/requirements.ts'
import { PATIENCE } from './eventually.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Reply {
  readonly ok: boolean
  readonly value?: Record<string, unknown>
  readonly error?: { readonly code: string; readonly message: string }
}

/** What the page has of the host: nothing more than this. */
export interface Bridge {
  call(op: string, input: unknown, meta?: unknown): Promise<Reply>
  listen(listener: (event: unknown) => void): () => void
}

/** The desktop app as it runs, with its one window open. */
export interface ElectronWindow {
  readonly app: ElectronApplication
  readonly page: Page
  /** What it wrote on stdout so far. */
  said(): string
}

export async function launch(home: string, settings: Readonly<Record<string, string>> = {}): Promise<ElectronWindow> {
  const { path, args, env } = electron()
  const app = await _electron.launch({
    executablePath: path,
    args: [...args, root],
    env: { ...cleanEnv({ LOOM_HOME: home, ...settings }), ...env },
    timeout: PATIENCE,
  })
  let said = ''
  app.process().stdout?.on('data', (data: Buffer) => (said += data))
  try {
    app.context().setDefaultTimeout(PATIENCE)
    const page = await app.firstWindow()
    await page.waitForLoadState()
    return { app, page, said: () => said }
  } catch (error) {
    await app.close()
    throw error
  }
}

/** Windows besides the small one, which is made out of sight. */
export const mainWindows = (app: ElectronApplication): Page[] => app.windows().filter((page) => !page.url().startsWith('app://loom/write'))

/** Calls an operation as the page does. */
export const call = (page: Page, op: string, input: unknown = {}): Promise<Reply> =>
  page.evaluate(([op, input]) => (window as unknown as { loom: Bridge }).loom.call(op, input), [op, input] as const)

/** On a busy machine the engine may take longer to start than a call waits for it. */
export async function ready(page: Page): Promise<void> {
  await vi.waitFor(async () => expect(await call(page, 'engine.info')).toMatchObject({ ok: true }), { timeout: PATIENCE, interval: 200 })
}

/** Where the engine of a data folder answers, and its process. */
export const endpoint = async (home: string): Promise<{ url: string; pid: number }> =>
  JSON.parse(await readFile(join(home, 'endpoint.json'), 'utf8')) as { url: string; pid: number }
