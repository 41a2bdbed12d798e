import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

const ROOT = join(import.meta.dirname, '..', '..')
/** Every folder the models' modules may import from. */
const SOURCES = ['shared/engine/models', 'shared/engine/documents', 'shared/domain', 'shared/contract']
/** Shared by all test runs of this clone. */
export const TEST_CACHE = join(ROOT, 'node_modules/.cache/loom')

const bundles = new Map<string, Promise<URL>>()

/** The model worker as one JavaScript file, as the product's own build makes it: Node 20 runs no TypeScript in a worker. */
export function modelWorkerUrl(): Promise<URL> {
  return bundledModule('shared/engine/models/worker.ts')
}

/**
 * Bundles a worker for a plain Node. The file's name carries a hash of the sources, so a
 * changed source makes another file, and test workers that build at once put the same one in place.
 */
export function bundledModule(entry: string): Promise<URL> {
  const known = bundles.get(entry)
  if (known !== undefined) return known
  const bundle = buildModule(entry)
  bundles.set(entry, bundle)
  return bundle
}

async function buildModule(entry: string): Promise<URL> {
  const name = `${entry.replace(/\.ts$/, '').replaceAll('/', '-')}-${await hashSources()}.mjs`
  const target = join(TEST_CACHE, name)
  if (existsSync(target)) return pathToFileURL(target)
  const folder = join(TEST_CACHE, `build-${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    await build({
      root: ROOT,
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: join(ROOT, entry),
        outDir: folder,
        target: 'node20',
        minify: false,
        rolldownOptions: { output: { entryFileNames: name, codeSplitting: false } },
      },
    })
    await rename(join(folder, name), target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return pathToFileURL(target)
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of SOURCES) {
    const names = await readdir(join(ROOT, folder), { recursive: true })
    for (const name of names.filter((file) => file.endsWith('.ts')).sort()) {
      hash.update(name).update(await readFile(join(ROOT, folder, name)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}
