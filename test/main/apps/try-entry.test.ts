import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { tryEntry } from '../../../main/apps/try-entry.ts'
import { built } from '../../helpers/headless.ts'

const folder = mkdtempSync(join(tmpdir(), 'loom-try-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const script = (code: string) => ({ command: process.execPath, args: ['-e', code], env: {} })
const never = new AbortController().signal
const SILENT = 'setInterval(() => {}, 1000); process.stdin.resume()'

describe('the test of an entry', () => {
  test('starts Loom with nothing running, sees its tools, and searches', { timeout: 60_000 }, async () => {
    const steps: number[] = []
    const loom = { command: process.execPath, args: [built('cli.js'), 'mcp'], env: { LOOM_HOME: join(folder, 'Loom'), LOOM_PORT: '0' } }
    const result = await tryEntry(loom, never, (step) => steps.push(step), 45_000)
    expect(result).toMatchObject({ cause: '', passed: [{ step: 'started' }, { step: 'tools', tools: 14 }, { step: 'search' }] })
    expect(steps.slice(0, 3)).toEqual([1, 2, 3])
  })

  test('a program that is not there', async () => {
    const result = await tryEntry({ command: '/nowhere/node', args: [], env: {} }, never, () => undefined)
    expect(result).toEqual({ passed: [], cause: 'The program that the entry names is not there.' })
  })

  test('one that ends says why, in its own last line', async () => {
    const result = await tryEntry(script('console.error("first"); console.error("no folder"); process.exit(3)'), never, () => undefined)
    expect(result.cause).toBe('It ended before it answered. It said: no folder')
  })

  test('one that says nothing is given up', async () => {
    const result = await tryEntry(script(SILENT), never, () => undefined, 700)
    expect(result.cause).toBe('It did not answer within 0.7 seconds.')
  })

  test('the person stops it', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 300)
    expect((await tryEntry(script(SILENT), stop.signal, () => undefined)).cause).toBe('You stopped the test.')
  })
})
