import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/** What `npm test` says of files in fixtures/, and its exit status. */
async function run(...files: string[]): Promise<{ code: number | null; said: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'loom-second-try-'))
  const env = { ...process.env, NO_COLOR: '1', SECOND_TRY_MARK: join(folder, 'mark') }
  const root = join(import.meta.dirname, 'fixtures')
  const args = [join(import.meta.dirname, 'run.mjs'), '--root', root, '--config', join(root, 'second-try.config.ts'), ...files]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  child.stdout.on('data', (data: Buffer) => (said += data))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  await rm(folder, { recursive: true, force: true })
  return { code, said }
}

describe('npm test', { timeout: 180_000 }, () => {
  test('a file of the outside that fails is tried once more whole, and named; the run has passed', async () => {
    const { code, said } = await run('second-try-late')
    expect(said).toContain('Passed at the second try:\n  second-try-late.ts: fails the first time\n')
    expect(said).toMatch(/\n2 passed, 0 failed, 1 skipped\n$/)
    expect(said.match(/ passed, /g)).toHaveLength(1)
    expect(code).toBe(0)
  })

  test('what fails twice has failed, and so has a suite that cannot begin', async () => {
    const { code, said } = await run('second-try-late', 'second-try-never')
    expect(said).toContain('Passed at the second try:\n  second-try-late.ts: fails the first time\nSkipped:')
    expect(said).toMatch(/\n2 passed, 2 failed, 2 skipped\n$/)
    expect(code).toBe(1)
  })

  test('every other file has one try', async () => {
    const { code, said } = await run('second-try-inside')
    expect(said).toBe('0 passed, 1 failed, 0 skipped\n')
    expect(code).toBe(1)
  })

  test('where no file answers to the name, nothing has run, and that is no success', async () => {
    const { code, said } = await run('nowhere')
    expect(said).toMatch(/0 passed, 0 failed, 0 skipped\n$/)
    expect(code).toBe(1)
  })
})
