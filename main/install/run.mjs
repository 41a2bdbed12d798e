import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './build.mjs'

/**
 * Runs a built program in this process: signals and the exit status are its own, and no second process waits.
 * @param {string} name file of `out/main`
 * @param {readonly string[]} args
 */
export async function runBuilt(name, args) {
  const file = join(root, 'out/main', name)
  process.argv = [process.execPath, file, ...args]
  await import(pathToFileURL(file).href)
}
