import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { APPS, appPlacesOf } from '../../../main/apps/app-files.ts'
import { openAppRecords } from '../../../main/apps/app-records.ts'
import { createApps, type Apps } from '../../../main/apps/apps.ts'
import type { LoomCommand } from '../../../main/apps/entry.ts'
import type { AppCard, AppId } from '../../../shared/contract/host-calls.ts'
import { bundleForNode } from '../../helpers/bundle.ts'

const COMMAND: LoomCommand = { command: '/usr/bin/node', args: ['/opt/Loom/out/main/cli.js', 'mcp'], env: {} }

let folder: string
let home: string
let data: string
let apps: Apps

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loom-apps-'))
  home = join(folder, 'ada')
  data = join(folder, 'data')
  mkdirSync(home)
  mkdirSync(data)
  apps = await open()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = async (): Promise<Apps> =>
  createApps({ places: appPlacesOf({}, 'linux', home), command: COMMAND, records: await openAppRecords(data), clock: Date.now })
const card = async (id: AppId): Promise<AppCard> => (await apps.list()).find((one) => one.id === id) as AppCard
const pathOf = (id: AppId): string => APPS.find((app) => app.id === id)?.file(appPlacesOf({}, 'linux', home)) ?? ''
function put(id: AppId, text: string | Buffer): string {
  const path = pathOf(id)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}
const write = async (id: AppId): Promise<void> => apps.write(id, (await card(id)).basis)
const refusal = (call: Promise<unknown>): Promise<{ code: string; message: string }> =>
  call.then(
    () => ({ code: '', message: '' }),
    (error: unknown) => error as { code: string; message: string },
  )

const ZED = '// Zed\n{\n  "theme": "One Dark", // dark\n  "context_servers": {\n    "docs": { "command": "docs" },\n  },\n}\n'

describe('where each app keeps its servers, by its own documentation', () => {
  const places = {
    linux: appPlacesOf({}, 'linux', '/home/ada'),
    darwin: appPlacesOf({}, 'darwin', '/Users/ada'),
    win32: appPlacesOf({ APPDATA: '/Users/ada/AppData/Roaming' }, 'win32', '/Users/ada'),
  }
  test.each([
    ['claude-desktop', 'darwin', '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json', 'mcpServers'],
    ['claude-desktop', 'win32', '/Users/ada/AppData/Roaming/Claude/claude_desktop_config.json', 'mcpServers'],
    ['claude-code', 'linux', '/home/ada/.claude.json', 'mcpServers'],
    ['cursor', 'darwin', '/Users/ada/.cursor/mcp.json', 'mcpServers'],
    ['vscode', 'linux', '/home/ada/.config/Code/User/mcp.json', 'servers'],
    ['vscode', 'darwin', '/Users/ada/Library/Application Support/Code/User/mcp.json', 'servers'],
    ['vscode', 'win32', '/Users/ada/AppData/Roaming/Code/User/mcp.json', 'servers'],
    ['windsurf', 'win32', '/Users/ada/.codeium/windsurf/mcp_config.json', 'mcpServers'],
    ['zed', 'linux', '/home/ada/.config/zed/settings.json', 'context_servers'],
    ['zed', 'darwin', '/Users/ada/.config/zed/settings.json', 'context_servers'],
    ['zed', 'win32', '/Users/ada/AppData/Roaming/Zed/settings.json', 'context_servers'],
  ] as const)('%s on %s', (id, platform, path, section) => {
    const app = APPS.find((one) => one.id === id)
    expect([app?.file(places[platform]), app?.section]).toEqual([path, section])
  })

  test('an app that names its transports is told it; the others are not', async () => {
    for (const id of ['claude-code', 'vscode'] as const) expect((await card(id)).snippet).toContain('"type": "stdio"')
    for (const id of ['claude-desktop', 'cursor', 'windsurf', 'zed'] as const) expect((await card(id)).snippet).not.toContain('"type"')
  })
})

describe('the entry in the files of a home', () => {
  test('an app that is not here is not written; what it would read is there to copy', async () => {
    expect(await card('zed')).toMatchObject({ state: 'absent', file: '~/.config/zed/settings.json', canUndo: false })
    expect(JSON.parse((await card('zed')).snippet)).toEqual({ context_servers: { loom: { command: COMMAND.command, args: COMMAND.args } } })
    expect(await refusal(apps.write('zed', ''))).toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(existsSync(pathOf('zed'))).toBe(false)
  })

  test('write, and undo: the file is as it was, byte for byte, with its rights', async () => {
    const path = put('zed', ZED)
    chmodSync(path, 0o640)
    expect(await card('zed')).toMatchObject({ state: 'ready', others: ['docs'], copy: 'settings.json.loom-1' })
    await write('zed')
    expect(await card('zed')).toMatchObject({ state: 'connected', canUndo: true, copy: 'settings.json.loom-1' })
    expect(readFileSync(`${path}.loom-1`, 'utf8')).toBe(ZED)
    expect(readFileSync(path, 'utf8')).toContain('"theme": "One Dark", // dark')
    expect(statSync(path).mode & 0o777).toBe(0o640)
    apps = await open()
    await apps.undo('zed')
    expect(readFileSync(path, 'utf8')).toBe(ZED)
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(readdirSync(dirname(path))).toEqual(['settings.json'])
    expect(await card('zed')).toMatchObject({ state: 'ready', canUndo: false })
  })

  test('a file that is not there yet is made, and gone again after undo', async () => {
    mkdirSync(join(home, '.cursor'))
    await write('cursor')
    expect(statSync(pathOf('cursor')).mode & 0o777).toBe(0o600)
    await apps.undo('cursor')
    expect(readdirSync(join(home, '.cursor'))).toEqual([])
  })

  test('a byte order mark stays', async () => {
    const before = Buffer.from('\ufeff{\r\n  "servers": {}\r\n}\r\n')
    const path = put('vscode', before)
    await write('vscode')
    expect(readFileSync(path).subarray(0, 3)).toEqual(before.subarray(0, 3))
    expect(await card('vscode')).toMatchObject({ state: 'connected' })
    await apps.undo('vscode')
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('behind a link the file it leads to is changed, and the link stays', async () => {
    const real = join(home, 'dotfiles.json')
    writeFileSync(real, '{}')
    symlinkSync(real, pathOf('claude-code'))
    await write('claude-code')
    expect(lstatSync(pathOf('claude-code')).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(real, 'utf8'))).toMatchObject({ mcpServers: { loom: { type: 'stdio' } } })
    await apps.undo('claude-code')
    expect(readFileSync(real, 'utf8')).toBe('{}')
  })

  test.each([
    ['broken JSON', (path: string) => writeFileSync(path, '{ "mcpServers": '), 'no JSON'],
    ['UTF-16', (path: string) => writeFileSync(path, Buffer.from('\ufeff{}', 'utf16le')), 'UTF-8'],
    ['a null byte', (path: string) => writeFileSync(path, '{"a": "\0"}'), 'null bytes'],
    ['read-only', (path: string) => (writeFileSync(path, '{}'), chmodSync(path, 0o400)), 'read-only'],
    ['a folder', (path: string) => mkdirSync(path), 'no file'],
    ['a link to nowhere', (path: string) => symlinkSync('/nowhere/at/all', path), 'leads nowhere'],
    ['a link to itself', (path: string) => symlinkSync(path, path), 'itself'],
    ['a second name', (path: string) => (writeFileSync(path, '{}'), linkSync(path, `${path}.other`)), 'second name'],
    ['40 MB', (path: string) => writeFileSync(path, Buffer.alloc(40 * 1024 * 1024, 32)), '40 MB'],
  ])('%s: shown with the cause, and left alone', async (_, make, why) => {
    mkdirSync(dirname(pathOf('cursor')), { recursive: true })
    make(pathOf('cursor'))
    const before = lstatSync(pathOf('cursor'))
    expect(await card('cursor')).toMatchObject({ state: 'unreadable', problem: expect.stringContaining(why) as string })
    expect(await refusal(apps.write('cursor', ''))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('left as it is') as string,
    })
    expect(lstatSync(pathOf('cursor'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs, size: before.size })
    expect(readdirSync(dirname(pathOf('cursor'))).filter((name) => name.includes('loom'))).toEqual([])
  })

  test('what was shown is what is written: a file that changed meanwhile is not', async () => {
    const path = put('windsurf', '{}')
    const { basis } = await card('windsurf')
    writeFileSync(path, '{"theirs": 1}')
    expect(await refusal(apps.write('windsurf', basis))).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect(readFileSync(path, 'utf8')).toBe('{"theirs": 1}')
  })

  test('an app that changed its file since: no undo; taking the entry out leaves what it wrote', async () => {
    const path = put('claude-code', '{\n  "projects": {}\n}\n')
    await write('claude-code')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"projects": {}', '"projects": {"a": 1}'))
    expect(await card('claude-code')).toMatchObject({ state: 'connected', canUndo: false })
    expect(await refusal(apps.undo('claude-code'))).toMatchObject({ code: 'PRECONDITION_FAILED' })
    await apps.remove('claude-code', (await card('claude-code')).basis)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ projects: { a: 1 }, mcpServers: {} })
    expect(await card('claude-code')).toMatchObject({ state: 'ready', canUndo: true })
  })

  test('an entry of that name that is another is shown as what goes, its secrets as dots, and a copy of the file stays', async () => {
    put('windsurf', '{ "mcpServers": { "loom": { "url": "http://localhost:7777/mcp", "headers": { "Authorization": "Bearer s3cret" } } } }')
    const shown = await card('windsurf')
    expect(shown).toMatchObject({ state: 'differs', problem: expect.stringContaining('“url”') as string })
    expect(shown.change.filter(({ kind }) => kind === 'gone').map(({ text }) => text.trim())).toContain(
      '"url": "http://localhost:7777/mcp",',
    )
    expect(JSON.stringify(shown)).not.toContain('s3cret')
    await write('windsurf')
    expect(await card('windsurf')).toMatchObject({ state: 'connected', canUndo: true })
  })

  test('nothing of another entry leaves the host but its name', async () => {
    put('cursor', '{ "mcpServers": { "git": { "env": { "TOKEN": "s3cret" } } } }')
    const shown = await card('cursor')
    expect(shown.others).toEqual(['git'])
    expect(JSON.stringify(shown)).not.toContain('s3cret')
  })

  test('the same write twice at once writes once, and copies are never written over', async () => {
    put('zed', ZED)
    writeFileSync(`${pathOf('zed')}.loom-1`, 'of another')
    const { basis } = await card('zed')
    const both = await Promise.all([refusal(apps.write('zed', basis)), refusal(apps.write('zed', basis))])
    expect(both.map(({ code }) => code)).toEqual(['', 'PRECONDITION_FAILED'])
    expect(readFileSync(`${pathOf('zed')}.loom-1`, 'utf8')).toBe('of another')
    expect(readFileSync(`${pathOf('zed')}.loom-2`, 'utf8')).toBe(ZED)
  })

  test(
    'a SIGKILL at any moment leaves the old file or the new one, whole, and what was written can be undone',
    { timeout: 60_000 },
    async () => {
      const module = await bundleForNode('test/main/apps/fixtures/write-loop.ts')
      const path = put('zed', ZED)
      await write('zed')
      const connected = readFileSync(path, 'utf8')
      await apps.undo('zed')
      const seen = new Set<string>()
      for (let round = 0; round < 12; round++) {
        const child = spawn(process.execPath, [module, home, data], { stdio: ['ignore', 'pipe', 'inherit'] })
        await new Promise((resolve) => child.stdout.once('data', resolve))
        await sleep(Math.random() * 60)
        child.kill('SIGKILL')
        await new Promise((resolve) => child.once('close', resolve))
        const now = readFileSync(path, 'utf8')
        expect([ZED, connected]).toContain(now)
        seen.add(now)
        apps = await open()
        if (now === connected) await apps.undo('zed')
        expect(readFileSync(path, 'utf8')).toBe(ZED)
      }
      await write('zed')
      expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.loom-new'))).toEqual([])
    },
  )
})
