import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanEnv, post, scratchHome } from '../helpers/headless.ts'
import { packaging, packedProgram, rootFlags, startPacked, type Packed } from '../helpers/packaged.ts'
import { electron, needs } from '../helpers/requirements.ts'
import { call, endpoint, ready } from './electron-window.ts'
import { eventually } from './eventually.ts'
import { shot } from './page-checks.ts'
import { mayBeForced } from './slowness.ts'

/** Electron's switches that are set in the program, behind a mark: places in the row, and what a packed Loom has there. */
const FUSE_MARK = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const FUSES = { runAsNode: [0, '0'], cookieEncryption: [1, '1'], nodeOptions: [2, '0'], inspect: [3, '0'], asarIntegrity: [4, '1'], onlyAsar: [5, '1'] } as const // prettier-ignore

let home: string
let drop: () => Promise<void>
let program: string
let env: Record<string, string>

/** Runs the packed program to its end. @param enough what it has to print before its standard input ends; nothing if that may end at once */
async function run(args: readonly string[], more: Record<string, string> = {}, stdin = '', enough = '') {
  const { DISPLAY: _, ...without } = env
  const child = spawn(program, [...rootFlags(), ...args], { env: { ...without, ...more }, stdio: ['pipe', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data: Buffer) => (stdout += data))
  child.stderr.on('data', (data: Buffer) => (stderr += data))
  child.stdin.write(stdin)
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve)
    if (!enough) child.stdin.end()
    else child.stdout.on('data', () => stdout.includes(enough) && child.stdin.end())
  })
  return { code, stdout, stderr }
}

describe('the packed app', needs(electron(), packaging()), () => {
  beforeAll(async () => {
    ;({ home, drop } = await scratchHome())
    program = packedProgram()
    env = { ...cleanEnv({ LOOM_HOME: home }), ...electron().env }
  }, 180_000)
  afterAll(() => drop())

  test('has its fuses set', () => {
    const bytes = readFileSync(program)
    const row = bytes.indexOf(FUSE_MARK) + FUSE_MARK.length + 2
    const found = Object.fromEntries(Object.entries(FUSES).map(([name, [place]]) => [name, String.fromCharCode(bytes[row + place] ?? 0)]))
    expect(found).toEqual(Object.fromEntries(Object.entries(FUSES).map(([name, [, value]]) => [name, value])))
  })

  test('is the command line itself, with no display: what it prints, its exit status, and a write with both models', async () => {
    expect(await run(['cli', '--version'])).toMatchObject({ code: 0, stdout: 'loom 0.1.0\n' })
    const typo = await run(['cli', 'memory.gett'])
    expect(typo).toMatchObject({ code: 2, stdout: '' })
    expect(typo.stderr).toContain('Did you mean memory.get?')
    const set = await run(['cli', 'memory.set', '--json', '--memory_key', 'deploy/day', '--value', 'Deploys run on Tuesday.'])
    expect(set.code, set.stderr).toBe(0)
    expect(JSON.parse(set.stdout)).toMatchObject({ status: 'active', conflict_verdict: 'clear' })
    expect(set.stderr).not.toContain('cannot be loaded')
  })

  test('is no Node: it runs no script of others, and takes no option of Node’s', async () => {
    const asNode = await run(['cli', '--version'], { ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '--require /nowhere/at-all.cjs' })
    expect(asNode).toMatchObject({ code: 0, stdout: 'loom 0.1.0\n' })
    const inspected = await run(['--inspect=0', 'cli', '--version'])
    expect(inspected.stdout).toBe('loom 0.1.0\n')
    expect(inspected.stderr).not.toContain('Debugger listening')
  })

  test('serves MCP over stdio', async () => {
    const lines = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'packed', version: '1' } } }, // prettier-ignore
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'loom_memory_search', arguments: { query: 'when do we deploy' } } },
    ]
    const answer = await run(['cli', 'mcp'], {}, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), '"id":2')
    expect(answer.code, answer.stderr).toBe(0)
    const replies = answer.stdout.trim().split('\n').map((line) => JSON.parse(line) as { id: number; result: unknown }) // prettier-ignore
    expect(replies.find((reply) => reply.id === 1)?.result).toMatchObject({ serverInfo: { name: 'loom' } })
    expect(JSON.stringify(replies.find((reply) => reply.id === 2)?.result)).toContain('Deploys run on Tuesday.')
  })

  test('opens its window on a usable list, models and all, and ends cleanly', async () => {
    const packed: Packed = await startPacked(program, env)
    let isForced = false
    try {
      const { page } = packed
      await page.getByRole('option').filter({ hasText: 'Deploys run on Tuesday.' }).waitFor()
      await ready(page)
      const embedder = async () => (await call(page, 'engine.info')).value?.['embedder']
      await eventually(embedder).toMatchObject({ state: 'ready' })
      await shot(page, 'packaged')
      // Another program reaches it, and so does its own command line.
      const { url } = await endpoint(home)
      expect((await post(url, 'memory.search', { query: 'when do we deploy' })).body).toMatchObject({ degraded: [] })
      const got = await run(['cli', 'memory.get', '--json', '--memory_key', 'deploy/day'])
      expect(JSON.parse(got.stdout)).toMatchObject({ found: true })
    } finally {
      const { code, ms } = await packed.stop()
      isForced = await mayBeForced(ms)
      expect(code).toBe(0)
      if (!isForced) expect(ms).toBeLessThan(5000)
    }
    if (!isForced) for (const name of ['loom.lock', 'endpoint.json']) await expect(readFile(join(home, name))).rejects.toThrow('ENOENT')
  })
})
