import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnv, runBuilt, scratchHome, startHeadless, type Headless } from '../helpers/headless.ts'

let host: Headless
let env: Record<string, string>
let folder: string
let drop: () => Promise<void>
beforeAll(async () => {
  const scratch = await scratchHome()
  drop = scratch.drop
  env = cleanEnv({ LOOM_HOME: scratch.home })
  folder = await mkdtemp(join(tmpdir(), 'loom-docs-'))
  await mkdir(join(folder, 'guides'))
  await writeFile(join(folder, 'deploy.md'), '# Deploy\nProduction deploys run Tuesday.\n')
  await writeFile(join(folder, 'guides', 'kettle.html'), '<h1>Kettle</h1><p>Fill it with water.</p>')
  const large = await open(join(folder, 'guides', 'large.txt'), 'w')
  await large.truncate(200_000_000)
  await large.close()
  host = await startHeadless(env)
}, 120_000)
afterAll(async () => {
  await host.stop()
  await drop()
  await rm(folder, { recursive: true, force: true })
})

const loom = (...args: string[]) => runBuilt('cli.js', args, env)

test('files and folders become documents under their paths; the same again changes nothing', async () => {
  const file = join(folder, 'deploy.md')
  expect(await loom('knowledge', 'add', file, '--collection', 'runbooks')).toMatchObject({
    code: 0,
    stdout: `${file}: added, 1 passage\n`,
    stderr: '',
  })
  expect(await loom('knowledge', 'add', file, '--collection', 'runbooks')).toMatchObject({ code: 0, stdout: `${file}: unchanged\n` })
  const found = await loom('knowledge.search', '--query', 'production deploys', '--json')
  expect(JSON.parse(found.stdout)).toMatchObject({ results: [{ document_key: file, collection: 'runbooks', section: ['Deploy'] }] })
})

test('a file that is too large is refused before it is read, and the rest is taken', async () => {
  const end = await loom('knowledge', 'add', join(folder, 'guides'))
  expect(end).toMatchObject({ code: 1, stdout: `${join(folder, 'guides', 'kettle.html')}: added, 1 passage\n` })
  expect(end.stderr).toMatch(/large\.txt: 200000000 bytes are more than/)
})

test('what was typed wrong says how it is typed', async () => {
  expect((await loom('knowledge', 'add')).code).toBe(2)
  const end = await loom('knowledge', 'remove', 'x')
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('loom knowledge add FILE|FOLDER')])
  expect((await loom('knowledge', '--help')).stdout).toContain('--collection NAME')
})
