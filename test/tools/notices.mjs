/**
 * `npm run notices`: writes docs/third-party-notices.md, the licences of every package that reaches a person: those that
 * run (dependencies) and those that our own files take in. The list comes from package-lock.json, so that it is
 * the same on every machine; the words come from node_modules.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const target = join(root, 'docs/third-party-notices.md')

/** @typedef {{ version: string, license?: string, optional?: boolean, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} Locked */

const SOURCES = ['main', 'renderer', 'shared', 'sync-server']
/** What the sources import and the build leaves out: Electron, which brings its own notices, and sharp (electron.vite.config.ts). */
const LEFT_OUT = new Set(['electron', 'sharp'])

/** Packages that the sources import: our own files take them in although they are development dependencies. */
function bundled() {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join(root, folder, file)),
  )
  const names = files.flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    return [...source.matchAll(/(?:from|import)\s*\(?'([^'./][^']*)'/g)].map(([, path = '']) => packageOf(path))
  })
  return [...new Set(names)]
}

/** @param {string} path what an import names */
function packageOf(path) {
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')
}

/**
 * Every locked package that the roots need, by its place in node_modules.
 * @param {Record<string, Locked>} locked
 * @param {readonly string[]} roots
 */
function reached(locked, roots) {
  /** @type {Map<string, Locked>} */
  const found = new Map()
  /** @type {(name: string, from: string) => void} */
  const visit = (name, from) => {
    if (LEFT_OUT.has(name)) return
    // Node's own search: beside the package that asks, then in every folder above.
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
      const entry = locked[place]
      if (entry) {
        if (found.has(place)) return
        found.set(place, entry)
        for (const next of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) visit(next, place)
        return
      }
      if (folder === '') return
    }
  }
  for (const name of roots) visit(name, '')
  return found
}

/**
 * The words of a package's licence and notice files.
 * @param {string} place
 */
function words(place) {
  const folder = join(root, place)
  return readdirSync(folder)
    .filter((name) => /^(licen[cs]e|notice|copying)/i.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n')
}

/** The document as it should be now. */
export function notices() {
  const read = /** @param {string} file */ (file) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const { dependencies } = read('package.json')
  const packages = [...reached(read('package-lock.json').packages, [...Object.keys(dependencies), ...bundled()])]
    .map(([place, entry]) => ({ place, name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length), entry }))
    .filter(({ name }) => !name.startsWith('@types/'))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.entry.version < b.entry.version ? -1 : 1))

  /** @type {Map<string, string[]>} */
  const texts = new Map()
  for (const { place, name, entry } of packages) {
    // Packages for one platform are not installed on the others; their licence is in the table.
    const text = entry.optional ? '' : words(place)
    if (text) texts.set(text, [...new Set([...(texts.get(text) ?? []), name])])
  }
  return [
    '# Third-party notices',
    '',
    'Written by `npm run notices`; do not edit. Packages that Loom runs on or has in its window, with their licences. Electron and',
    'Chromium bring their own notices, which lie beside the program in the packaged app.',
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...packages.map(({ name, entry }) => `| ${name} | ${entry.version} | ${entry.license ?? 'see below'} |`),
    '',
    ...[...texts].flatMap(([text, names]) => [`## ${names.join(', ')}`, '', '```text', text, '```', '']),
  ].join('\n')
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(target, notices())
  console.error(`wrote ${target}`)
}
