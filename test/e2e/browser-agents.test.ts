import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { cleanEnv, runBuilt } from '../helpers/headless.ts'
import { chromium, needs } from '../helpers/requirements.ts'
import { modelsReady, said, seed, sharedHost, type BrowserHost } from './browser-window.ts'
import { eventually } from './eventually.ts'
import { shot, sideways, violations } from './page-checks.ts'

const VSCODE = '// mine\n{\n  "servers": {\n    "github": { "url": "https://example.com/mcp" }, // keep\n    "postgres": {},\n  },\n}\n'
const WINDSURF = '{ "mcpServers": { "loom": { "url": "http://localhost:7777/mcp" } } }\n'

let home: string

const file = (...parts: string[]): string => join(home, ...parts)
function put(text: string, ...parts: string[]): void {
  mkdirSync(join(file(...parts), '..'), { recursive: true })
  writeFileSync(file(...parts), text)
}
const card = (page: Page, name: string) => page.getByRole('article', { name })
const agents = (page: Page) => page.getByRole('navigation', { name: 'Agents' }).getByRole('link')

/** What three agents do, each over its own road. */
async function work(host: BrowserHost): Promise<void> {
  await seed(host)
  const client = new Client({ name: 'claude-code', version: '2.1.40' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${host.url}/mcp`)))
  const call = (name: string, input: object) => client.callTool({ name, arguments: { ...input } })
  await call('loom_memory_set', { memory_key: 'ci/cache/key', value: 'The build cache key includes the lockfile and the Node version.' })
  await call('loom_memory_set', { memory_key: 'deploy/friday', value: 'Production deploys run on Friday too.' })
  for (let times = 0; times < 3; times++) await call('loom_memory_search', { query: 'production deploys' })
  await call('loom_search', { query: 'announced in releases' })
  for (const [goal, status] of [
    ['Roll back release 41', 'completed'],
    ['Speed up the build', ''],
  ] as const) {
    const run = await host.call('run.start', { namespace: 'local', agent: 'claude-code', goal })
    if (status)
      await host.call('run.complete', { namespace: 'local', run_id: run['run_id'], status, memories_used: ['deploy/window/prod'] })
  }
  await runBuilt('cli.js', ['memory.list', '--agent', 'ci'], cleanEnv({ LOOM_BASE_URL: host.url }))
}

describe('agents and apps in the window', needs(chromium()), () => {
  const host = sharedHost(modelsReady, () => {
    home = mkdtempSync(join(tmpdir(), 'loom-home-'))
    put(VSCODE, '.config', 'Code', 'User', 'mcp.json')
    put(WINDSURF, '.codeium', 'windsurf', 'mcp_config.json')
    put('{ "mcpServers": { ', '.cursor', 'mcp.json')
    put('{\n  "projects": {}\n}\n', '.claude.json')
    return { HOME: home, XDG_CONFIG_HOME: '' }
  })
  async function open(options = {}, path = '#/local/agents'): Promise<Page> {
    const page = await host.open(options)
    await page.goto(`${host.url}/${path}`)
    return page
  }
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('with no agent yet the cards come first', async () => {
    const page = await open()
    await page.getByRole('heading', { level: 1, name: 'Connect an app' }).waitFor()
    await eventually(() => page.locator('.cl').count()).toBe(6)
    await card(page, 'Zed').getByText('Not on this computer').waitFor()
    await card(page, 'Cursor').getByText('close brace expected at line 1').waitFor()
    await eventually(() => card(page, 'Cursor').getByRole('button').allTextContents()).toEqual(['Copy'])
    await card(page, 'Windsurf').getByText('The entry names an address').waitFor()
    await shot(page, 'agents-cards')
  })

  test('one click writes the entry and tests it; undo gives the file back byte for byte', async () => {
    const page = await open({}, '#/local/agents/apps%2Fvscode')
    const path = file('.config', 'Code', 'User', 'mcp.json')
    const vscode = card(page, 'VS Code')
    await vscode.getByText('a new entry in a file with 2').waitFor()
    await eventually(() => vscode.locator('.change-lines .add').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('"type": "stdio"') as string]),
    )
    expect(readFileSync(path, 'utf8')).toBe(VSCODE)
    await vscode.getByRole('button', { name: 'Write and test' }).click()
    await vscode.getByText('A search came back').waitFor()
    await vscode.getByText('14 tools offered').waitFor()
    await shot(page, 'agents-connected')
    const written = readFileSync(path, 'utf8')
    expect(written).toContain('"github": { "url": "https://example.com/mcp" }, // keep')
    expect(written).toContain('"command": ')
    expect(readFileSync(`${path}.loom-1`, 'utf8')).toBe(VSCODE)
    await vscode.getByRole('button', { name: 'Undo' }).click()
    await vscode.getByText('Ready to write').waitFor()
    expect(readFileSync(path, 'utf8')).toBe(VSCODE)
    expect(readdirSync(join(path, '..'))).toEqual(['mcp.json'])
  })

  test('a file that changed under the card is not written; the card shows what it is now', async () => {
    const page = await open()
    const claude = card(page, 'Claude Code')
    await claude.getByText('Ready to write').waitFor()
    put('{\n  "projects": {},\n  "mcpServers": { "git": {} }\n}\n', '.claude.json')
    await claude.getByRole('button', { name: 'Write and test' }).click()
    await claude.getByText('The file was changed since it was shown').waitFor()
    await claude.getByText('a new entry in a file with 1').waitFor()
    expect(readFileSync(file('.claude.json'), 'utf8')).not.toContain('loom')
    expect(existsSync(file('.claude.json.loom-1'))).toBe(false)
  })

  test('who is connected, what each wrote and recalled, what waits, runs and their grades', async () => {
    await work(host)
    const page = await open()
    await eventually(() => agents(page).allTextContents()).toHaveLength(4)
    const told = (name: string) => eventually(async () => (await agents(page).allTextContents()).find((text) => text.includes(name)))
    await told('claude-code').toMatch(/connected.*MCP.*wrote 2, recalled \d+ this week/s)
    await told('ops-bot').toMatch(/connected.*HTTP.*wrote 8/s)
    await eventually(async () => (await agents(page).allTextContents()).find((text) => text.startsWith('ci'))).toMatch(
      /not connected.*command line/s,
    )
    await agents(page).filter({ hasText: 'claude-code' }).click()
    const reader = page.getByRole('region', { name: 'Agent', exact: true })
    await reader.getByText(/MCP, connected since \d\d:\d\d/).waitFor()
    await reader.getByRole('region', { name: 'Wrote lately' }).getByText('The build cache key includes the lockfile').waitFor()
    await reader.getByRole('region', { name: 'Wrote lately' }).getByText('Conflict').waitFor()
    await reader.getByRole('region', { name: 'Recalled lately' }).getByText('Every production deploy is announced').first().waitFor()
    const waits = reader.getByText(/waits? in Review/).locator('..')
    await eventually(() => waits.innerText()).toMatch(/1$/)
    await shot(page, 'agents')
    const runs = reader.getByRole('region', { name: 'Runs' })
    await runs.getByRole('row').filter({ hasText: 'Speed up the build' }).getByText('running').waitFor()
    await runs.getByRole('button', { name: 'Grade it: Roll back release 41' }).click()
    await runs.getByRole('button', { name: 'Passed' }).click()
    await runs.getByText('passed, by').waitFor()
    await eventually(() => said(page).innerText()).toContain('The run “Roll back release 41” passed.')
    await reader.getByText('1 of 1').waitFor()
    await reader.getByRole('link', { name: /ci\/cache\/key/ }).click()
    await page.getByRole('region', { name: 'Memory' }).getByText('The build cache key').waitFor()
  })

  test('by keys alone, at 320 pixels, in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open({ colorScheme })
      await page.keyboard.press('Control+5')
      await page
        .getByRole('heading', { level: 1, name: 'claude-code' })
        .or(page.getByRole('heading', { level: 1 }))
        .first()
        .waitFor()
      expect(await violations(page)).toEqual([])
      await page.goto(`${host.url}/#/local/agents/apps`)
      await card(page, 'VS Code').waitFor()
      expect(await violations(page)).toEqual([])
      await shot(page, `agents-apps-${colorScheme}`)
      await page.context().close()
    }
    const page = await open({ viewport: { width: 320, height: 640 } })
    await agents(page).first().waitFor()
    await eventually(() => sideways(page)).toBe(0)
    await agents(page).filter({ hasText: 'claude-code' }).click()
    await page.getByRole('region', { name: 'Runs' }).waitFor()
    await eventually(() => sideways(page, '.runs-scroll')).toBe(0)
    await shot(page, 'agents-320')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /VS Code/ }).click()
    await card(page, 'VS Code').waitFor()
    await eventually(() => sideways(page)).toBe(0)
    await shot(page, 'agents-apps-320')
  })

  test('another site and a program are refused what only the window may ask', async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${host.url}/v1/host.apps`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })
    expect((await ask({})).status).toBe(403)
    expect((await ask({ origin: 'https://example.com' })).status).toBe(421)
    expect((await ask({ origin: host.url })).status).toBe(200)
    const wrong = await fetch(`${host.url}/v1/host.app_write`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: host.url },
      body: JSON.stringify({ app: 'zed', basis: '', file: '/etc/passwd' }),
    })
    expect(wrong.status).toBe(422)
  })
})
