import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../bench/run.mjs', import.meta.url))
const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })

test('a bench that does not exist is a usage error that lists those that do', () => {
  const { status, stdout, stderr } = run('no-such-bench')
  expect(status).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^usage: .*\nthere is no bench "no-such-bench"; there are: /)
})

test('an unknown flag is a usage error', () => {
  expect(run('verdict', '--jsno').stderr).toMatch(/^Unknown option '--jsno'/)
})
