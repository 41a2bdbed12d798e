/** `npm run docs`: writes the pages of docs/ that are made from the contract. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

const { module } = await runnerImport(join(root, 'test/tools/generated-docs.ts'), { root, configFile: false, logLevel: 'error' })
for (const { path, text } of module.generatedDocs()) {
  writeFileSync(join(root, path), text)
  console.log(path)
}
