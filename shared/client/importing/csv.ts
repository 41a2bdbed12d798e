import { linesOf, type Bytes } from './bytes.ts'

/** A record of a separated file; `cells` is null where it cannot be read. */
export interface Record {
  readonly line: number
  readonly cells: readonly string[] | null
  readonly why: '' | 'encoding' | 'long' | 'open'
}

export const DELIMITERS = [',', ';', '\t', '|'] as const

/** Cells of one logical line, by RFC 4180; null where a quoted cell is still open at its end. */
function cellsOf(text: string, delimiter: string): string[] | null {
  const cells: string[] = []
  let at = 0
  for (;;) {
    if (text[at] === '"') {
      let cell = ''
      for (let from = at + 1; ;) {
        const quote = text.indexOf('"', from)
        if (quote < 0) return null
        cell += text.slice(from, quote)
        if (text[quote + 1] !== '"') {
          at = quote + 1
          break
        }
        cell += '"'
        from = quote + 2
      }
      const next = text.indexOf(delimiter, at)
      // What stands between the closing quote and the delimiter is kept: nothing of a file is lost.
      cell += next < 0 ? text.slice(at) : text.slice(at, next)
      cells.push(cell)
      if (next < 0) return cells
      at = next + 1
    } else {
      const next = text.indexOf(delimiter, at)
      cells.push(next < 0 ? text.slice(at) : text.slice(at, next))
      if (next < 0) return cells
      at = next + 1
    }
  }
}

/** The delimiter by which the first line has most cells. */
export function delimiterOf(line: string): string {
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, cells: cellsOf(line, delimiter)?.length ?? 0 }))
  return counts.reduce((best, one) => (one.cells > best.cells ? one : best)).delimiter
}

/** Most lines that one quoted cell goes over: an open quote would swallow the rest of the file. */
const MOST_LINES = 2000
const LONGEST_CELL = 1024 * 1024

interface Open {
  readonly line: number
  readonly text: string
  readonly rest: { readonly line: number; readonly text: string }[]
  size: number
}

/** Records of a separated file. A quote that never closes is told, and reading goes on with the next line. */
export async function* recordsOf(bytes: Bytes, delimiter: string): AsyncGenerator<Record> {
  let kept: Open | null = null
  function* giveUp(): Generator<Record> {
    // The line of the open quote is broken; those after it are read as lines of their own.
    let waiting: Pick<Open, 'line' | 'rest'> | null = kept
    kept = null
    while (waiting) {
      yield { line: waiting.line, cells: null, why: 'open' }
      const { rest }: Pick<Open, 'rest'> = waiting
      waiting = null
      for (const [place, one] of rest.entries()) {
        const cells = cellsOf(one.text, delimiter)
        if (cells) yield { line: one.line, cells, why: '' }
        else {
          const [again, ...more] = rest.slice(place)
          if (again) waiting = { line: again.line, rest: more }
          break
        }
      }
    }
  }
  for await (const { line, text, why } of linesOf(bytes)) {
    if (text === null) {
      yield* giveUp()
      yield { line, cells: null, why: why === 'long' ? 'long' : 'encoding' }
      continue
    }
    if (kept !== null) {
      const open: Open = kept
      open.rest.push({ line, text })
      open.size += text.length
      // Only a line with a quote can close the cell: the whole is not read again for each line.
      if (text.includes('"')) {
        const cells = cellsOf([open.text, ...open.rest.map((one) => one.text)].join('\n'), delimiter)
        if (cells) {
          yield { line: open.line, cells, why: '' }
          kept = null
          continue
        }
      }
      if (open.rest.length >= MOST_LINES || open.size > LONGEST_CELL) yield* giveUp()
      continue
    }
    if (text.trim() === '') continue
    const cells = cellsOf(text, delimiter)
    if (cells) yield { line, cells, why: '' }
    else kept = { line, text, rest: [], size: text.length }
  }
  yield* giveUp()
}
