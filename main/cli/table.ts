import { stringifyJson } from '../../shared/contract/json.ts'
import { columnsOf, fit, harmless, pad } from './text-width.ts'

type Item = Readonly<Record<string, unknown>>

/** For each kind of item, known by a field that only it has, the columns worth a place; the last takes what is left. */
const SHAPES: readonly { readonly by: string; readonly columns: readonly string[] }[] = [
  { by: 'content_excerpt', columns: ['memory_key', 'namespace', 'status', 'similarity', 'content_excerpt'] },
  { by: 'relation', columns: ['memory_key', 'relation', 'confidence', 'status', 'excerpt', 'reason'] },
  { by: 'op', columns: ['version', 'op', 'status', 'updated_at', 'value'] },
  { by: 'excerpt', columns: ['memory_key', 'namespace', 'status', 'updated_at', 'excerpt'] },
  { by: 'last_write_at', columns: ['namespace', 'role', 'rows', 'open_conflicts', 'last_write_at', 'description'] },
]
/** Columns that say nothing while every row has the same. */
const TELLING_BY_DIFFERENCE: ReadonlySet<string> = new Set(['namespace', 'status'])
const GAP = 2
const NARROWEST_TEXT = 20

/**
 * An answer for a person: its plain fields one a line, its lists as tables. Fields that say nothing (empty, null) are
 * left out; `--json` has them.
 * @param width columns of the terminal
 */
export function renderAnswer(answer: Item, width: number): string {
  const lists = Object.entries(answer).filter((entry): entry is [string, Item[]] => isTable(entry[1]))
  const plain = Object.entries(answer).filter(([, value]) => !isTable(value) && !saysNothing(value))
  const parts = lists.map(([name, items]) => `${lists.length > 1 || plain.length > 0 ? `${name}\n` : ''}${renderTable(items, width)}`)
  const empty = Object.entries(answer).filter(([name, value]) => Array.isArray(value) && value.length === 0 && isMainList(name))
  for (const [name] of empty) parts.push(`No ${name}.`)
  if (plain.length > 0) parts.push(renderFields(plain, width))
  return parts.join('\n\n')
}

/** Lists that an operation is asked for, whose being empty is the answer. */
function isMainList(name: string): boolean {
  return ['results', 'memories', 'versions', 'namespaces', 'rows'].includes(name)
}

function isTable(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))
  )
}

function saysNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function show(value: unknown): string {
  if (typeof value === 'string') return harmless(value)
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(show).join(', ')
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toFixed(3)))
  return harmless(stringifyJson(value))
}

function renderFields(fields: readonly (readonly [string, unknown])[], width: number): string {
  const longest = Math.max(...fields.map(([name]) => name.length))
  const room = Math.max(NARROWEST_TEXT, width - longest - GAP)
  return fields
    .map(([name, value]) =>
      wrap(show(value), room)
        .map((line, at) => pad(at === 0 ? name : '', longest + GAP) + line)
        .join('\n'),
    )
    .join('\n')
}

/** Lines of at most `room` columns, broken between words where there are any. */
function wrap(text: string, room: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && columnsOf(longer) > room) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

function renderTable(items: readonly Item[], width: number): string {
  const names = columnsFor(items)
  const cells = items.map((item) => names.map((name) => show(item[name] ?? '')))
  const widths = names.map((name, at) => Math.max(columnsOf(name), ...cells.map((row) => columnsOf(row[at] ?? ''))))
  squeeze(widths, width)
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => pad(fit(cell, widths[at] ?? 0), widths[at] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd()
  return [line(names), line(widths.map((columns) => '-'.repeat(columns))), ...cells.map(line)].join('\n')
}

function columnsFor(items: readonly Item[]): string[] {
  const first = items[0] ?? {}
  const told = (name: string) => items.some((item) => !saysNothing(item[name]))
  const shape = SHAPES.find(({ by }) => by in first)
  if (!shape) return Object.keys(first).filter(told)
  const same = (name: string) => TELLING_BY_DIFFERENCE.has(name) && items.every((item) => item[name] === first[name])
  return shape.columns.filter((name) => told(name) && !same(name))
}

/** Takes what is too wide from the last column, and then from the widest of the others. */
function squeeze(widths: number[], width: number): void {
  const over = () => widths.reduce((sum, columns) => sum + columns + GAP, -GAP) - width
  const last = widths.length - 1
  if (over() > 0) widths[last] = Math.max(NARROWEST_TEXT, (widths[last] ?? 0) - over())
  while (over() > 0) {
    const widest = widths.indexOf(Math.max(...widths.slice(0, last)))
    if (widest < 0 || (widths[widest] ?? 0) <= NARROWEST_TEXT) return
    widths[widest] = Math.max(NARROWEST_TEXT, (widths[widest] ?? 0) - over())
  }
}
