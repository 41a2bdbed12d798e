import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanEnv, type Ended, runBuilt, scratchHome } from '../helpers/headless.ts'

let env: Record<string, string>
let drop: () => Promise<void>
let folder: string
const loom = (...args: readonly string[]): Promise<Ended> => runBuilt('cli.js', args, env)

beforeAll(async () => {
  const scratch = await scratchHome()
  drop = scratch.drop
  env = cleanEnv({ LOOM_HOME: scratch.home })
  folder = await mkdtemp(join(tmpdir(), 'loom-import-'))
})
afterAll(async () => {
  await drop()
  await rm(folder, { recursive: true, force: true })
})

describe('loom import and loom export', () => {
  test('a vault is tried out, imported, exported to a folder, and read back elsewhere', async () => {
    const vault = join(folder, 'vault')
    await mkdir(join(vault, 'deep/.obsidian'), { recursive: true })
    await writeFile(join(vault, 'shed.md'), '---\ncreated: 2024-05-06\n---\n# Shed\n\n- The roof was tarred in May\n')
    await writeFile(join(vault, 'deep/boat.md'), 'The boat is moored at pier nine.\n')
    await writeFile(join(vault, 'deep/.obsidian/app.json'), '{"memory":"no memory","id":1}')
    // A link in a circle is not followed.
    await symlink(vault, join(vault, 'deep/again'))

    const dry = await loom('import', vault, '--dry-run')
    expect(dry).toMatchObject({ code: 0, stderr: '' })
    expect(dry.stdout).toContain('Nothing was stored; an import would come to:')
    expect(dry.stdout).toContain('deep/boat.md: markdown, 1 found')
    const real = await loom('import', vault, '--json')
    expect(JSON.parse(real.stdout)).toMatchObject({ dry_run: false, found: 2, totals: { written: 2 }, problems: [] })
    expect(JSON.parse((await loom('import', vault, '--json')).stdout)).toMatchObject({ totals: { written: 0, skipped: 2 } })

    const out = join(folder, 'out')
    const exported = await loom('export', out)
    expect(exported).toMatchObject({ code: 0, stderr: '' })
    expect(exported.stdout).toContain('memory: 2')
    expect((await readdir(out)).filter((name) => name.endsWith('.jsonl'))).toContain('03-memory.jsonl')
    const note = (await readdir(join(out, 'markdown'))).find((name) => name.endsWith('.md')) ?? ''
    expect(await readFile(join(out, 'markdown', note), 'utf8')).toMatch(/^---\nmemory_key: import:/)

    const back = await loom('import', out, '--namespace', 'back', '--json')
    expect(JSON.parse(back.stdout)).toMatchObject({
      found: 2,
      totals: { written: 2 },
      problems: [],
      left: { reading: expect.any(Number) },
    })
    const listed = JSON.parse((await loom('memory.list', '--namespace', 'back', '--json')).stdout) as { rows: { excerpt: string }[] }
    expect(listed.rows.map((row) => row.excerpt).toSorted()).toEqual([
      'Shed: The roof was tarred in May',
      'The boat is moored at pier nine.',
    ])
  })

  test('says what it was typed wrong, and writes over nothing', async () => {
    expect(await loom('import')).toMatchObject({ code: 2, stdout: '' })
    expect(await loom('import', join(folder, 'nowhere'))).toMatchObject({ code: 2 })
    expect((await loom('import', folder, '--column', 'txt=a')).stderr).toContain('text, tags, valid_at, category, source_trace')
    const full = await loom('export', folder)
    expect(full).toMatchObject({ code: 2 })
    expect(full.stderr).toContain('is not empty')
    const csv = join(folder, 'odd.csv')
    await writeFile(csv, 'x,y\nThe gate is open.,1\n')
    const odd = await loom('import', csv)
    expect(odd.code).toBe(1)
    expect(odd.stdout).toContain('odd.csv, line 1')
    expect((await loom('import', csv, '--column', 'text=x', '--dry-run')).stdout).toContain('odd.csv: csv, 1 found')
    expect((await loom('import', '--help')).stdout).toContain('--dry-run')
  })
})
