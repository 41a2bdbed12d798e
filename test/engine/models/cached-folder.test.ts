import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureCachedFolder, type WriteFile } from '../../../shared/engine/models/cached-folder.ts'

const BYTES = new Uint8Array(700_000).map((_, i) => i % 251)
let folder: string

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'loom-cached-')), 'new', 'folder')
})

afterEach(() => rm(join(folder, '..', '..'), { recursive: true, force: true }))

test('files are written once and then found', async () => {
  expect(await ensureCachedFolder(folder, 'one', build)).toBe('no complete copy yet')
  expect(await ensureCachedFolder(folder, 'one', never)).toBeNull()
  expect((await readFile(join(folder, 'deep/big.bin'))).equals(BYTES)).toBe(true)
  expect(await readFile(join(folder, 'small.txt'), 'utf8')).toBe('ab')
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(['deep', 'deep/big.bin', 'manifest.json', 'small.txt'])
})

const damage: Record<string, (file: string, manifest: string) => Promise<void>> = {
  'a file cut short': (file) => truncate(file, 1000),
  'a file with one bit turned': async (file) => {
    const bytes = await readFile(file)
    bytes[500_000]! ^= 1
    await writeFile(file, bytes)
  },
  'an empty file': (file) => writeFile(file, ''),
  'a file gone': (file) => rm(file),
  'a manifest cut short': (_, manifest) => truncate(manifest, 40),
  'an empty manifest': (_, manifest) => truncate(manifest, 0),
  'a manifest of something else': (_, manifest) => writeFile(manifest, '[1]'),
  'a manifest that is null': (_, manifest) => writeFile(manifest, 'null'),
  'a manifest gone': (_, manifest) => rm(manifest),
  'another revision': async (_, manifest) => writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"one"', '"zero"')),
}

test.each(Object.keys(damage))('%s is found, named and repaired', async (name) => {
  await ensureCachedFolder(folder, 'one', build)
  await damage[name]!(join(folder, 'deep/big.bin'), join(folder, 'manifest.json'))
  expect(await ensureCachedFolder(folder, 'one', build)).toMatch(/big\.bin is (missing|damaged)|no complete copy|of revision zero/)
  expect(await ensureCachedFolder(folder, 'one', never)).toBeNull()
  expect((await readFile(join(folder, 'deep/big.bin'))).equals(BYTES)).toBe(true)
})

test('a build that fails half-way leaves no file under its name, and the next one does it all', async () => {
  const failing = async (write: WriteFile) => {
    await write('small.txt', [Uint8Array.of(97)])
    await write('deep/big.bin', interrupted())
  }
  await expect(ensureCachedFolder(folder, 'one', failing)).rejects.toThrow('connection lost')
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(['deep', 'small.txt'])
  expect(await ensureCachedFolder(folder, 'one', build)).toBe('no complete copy yet')
  expect(await ensureCachedFolder(folder, 'one', never)).toBeNull()
})

test('builders at once all end with whole files', async () => {
  await Promise.all(Array.from({ length: 8 }, () => ensureCachedFolder(folder, 'one', build)))
  expect(await ensureCachedFolder(folder, 'one', never)).toBeNull()
  expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('what a dead writer left is removed once it is old', async () => {
  await mkdir(folder, { recursive: true })
  const [old, young] = [join(folder, 'small.txt.1-00.tmp'), join(folder, 'small.txt.2-00.tmp')]
  await writeFile(old, 'half')
  await writeFile(young, 'half')
  await utimes(old, 1, 1)
  await ensureCachedFolder(folder, 'one', build)
  await expect(stat(old)).rejects.toThrow('ENOENT')
  expect((await stat(young)).size).toBe(4)
})

async function build(write: WriteFile): Promise<void> {
  await write('deep/big.bin', [BYTES.subarray(0, 3), BYTES.subarray(3, 600_000), BYTES.subarray(600_000)])
  await write('small.txt', [Uint8Array.of(97), Uint8Array.of(98)])
}

function never(): Promise<void> {
  throw new Error('The folder was whole and is built again.')
}

async function* interrupted(): AsyncGenerator<Uint8Array> {
  yield BYTES
  throw new Error('connection lost')
}
