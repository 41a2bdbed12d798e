/**
 * `npm run coverage:spec [-- --json]`: which requirements of docs/spec/requirements.tsv a test cites in its title, as
 * `[SET014]`, `[SET001-SET004]` or `[SET001, VER002]`. Fails on an id that does not exist; what is missing is only told.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

const comment = /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*/g
const skipped = /\.(?:skip|todo)\(\s*(['"`])(?:(?!\1).)*\1/g
const citation = /\[([A-Z]{3}\d{3}(?:\s*[-,]\s*[A-Z]{3}\d{3})*)\]/g

/**
 * Ids that a test file's titles cite, ranges written out. Comments and titles of skipped tests do not count.
 * @param {string} source
 * @returns {string[]}
 */
export function citedIn(source) {
  const titles = source.replace(comment, '').replace(skipped, '')
  return [...titles.matchAll(citation)].flatMap(([, list = '']) => list.split(',').flatMap((part) => expand(part.trim())))
}

/** @param {string} part an id, or two with a hyphen between */
function expand(part) {
  const [first = '', last = first] = part.split(/\s*-\s*/)
  const area = first.slice(0, 3)
  if (last.slice(0, 3) !== area) return [first, last]
  const [from, to] = [Number(first.slice(3)), Number(last.slice(3))]
  return Array.from({ length: Math.max(0, to - from) + 1 }, (_, i) => `${area}${String(from + i).padStart(3, '0')}`)
}

/**
 * @param {string} table requirements, tab-separated, with a head line; id and area come first
 * @param {Iterable<string>} citations
 */
export function coverage(table, citations) {
  const all = table
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
  const cited = new Set(citations)
  /** @type {Record<string, { total: number, cited: number }>} */
  const areas = {}
  const missing = []
  for (const [id = '', area = ''] of all) {
    const count = (areas[area] ??= { total: 0, cited: 0 })
    count.total++
    if (cited.delete(id)) count.cited++
    else missing.push(id)
  }
  return { total: all.length, cited: all.length - missing.length, missing, by_area: areas, unknown: [...cited].sort() }
}

/** @param {boolean} json */
function main(json) {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((file) => /\.test\.tsx?$/.test(file))
  const citations = files.flatMap((file) => citedIn(readFileSync(join(root, 'test', file), 'utf8')))
  const answer = coverage(readFileSync(join(root, 'docs/spec/requirements.tsv'), 'utf8'), citations)
  if (answer.unknown.length > 0) process.exitCode = 1
  if (json) {
    console.log(JSON.stringify(answer))
    return
  }
  for (const [area, { total, cited }] of Object.entries(answer.by_area))
    console.log(`${area}  ${String(cited).padStart(3)} of ${String(total).padStart(3)}`)
  console.log(`all  ${answer.cited} of ${answer.total}`)
  if (answer.unknown.length > 0) console.error(`cited, but not in the table: ${answer.unknown.join(', ')}`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.includes('--json'))
