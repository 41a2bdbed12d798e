import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds one module of the sources for plain Node, for tests that need processes of their own. Answers its path. */
export async function bundleForNode(source: string): Promise<string> {
  // Inside the clone, so that the packages are found from there.
  const cache = join(root, 'node_modules/.cache/loom')
  await mkdir(cache, { recursive: true })
  const outDir = await mkdtemp(join(cache, 'test-'))
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: { ssr: join(root, source), outDir, emptyOutDir: false, target: 'node20' },
  })
  const file = (await readdir(outDir)).find((name) => /\.m?js$/.test(name))
  if (!file) throw new Error(`nothing was built from ${source}`)
  return join(outDir, file)
}
