import type { SourceFile } from '../bytes.ts'
import { claimOfRecord, columnsOf, type Columns } from '../columns.ts'
import { delimiterOf, recordsOf } from '../csv.ts'
import { problem, type Found } from '../found.ts'
import type { Head } from '../head.ts'
import type { Importer } from '../importer.ts'

/** A file of separated values with a line of names, whose columns the caller maps. */

const WHY = {
  encoding: ['BAD_ENCODING', 'The line is not UTF-8.'],
  long: ['TOO_LONG', 'The line is too long and was passed over.'],
  open: ['BAD_ROW', 'A quoted cell of this line never ends.'],
} as const

function recognises(head: Head, columns: Columns): boolean {
  const [first = '', second = ''] = head.lines
  if (head.isDocument || head.records.length > 0 || /^\s*(?:[#>*-]|\d+\.)\s/.test(first) || first === '---') return false
  const delimiter = delimiterOf(first)
  const names = first.split(delimiter)
  if (names.length < 2) return columns.text !== undefined && columnsOf([first], columns) !== null
  const isNames = names.every((name) => name.trim().length > 0 && name.length <= 64 && !/[.!?]\s/.test(name))
  return (
    isNames &&
    (columnsOf(
      names.map((name) => name.replaceAll('"', '')),
      columns,
    ) !== null ||
      second.split(delimiter).length >= names.length)
  )
}

async function* read(file: SourceFile, head: Head, given: Columns): AsyncGenerator<Found> {
  const delimiter = delimiterOf(head.lines[0] ?? '')
  let names: readonly string[] | null = null
  let columns: Columns | null = null
  for await (const { line, cells, why } of recordsOf(file.bytes, delimiter)) {
    const at = { path: file.path, line }
    if (cells === null) {
      const [code, message] = WHY[why === '' ? 'open' : why]
      yield problem(at, code, message)
    } else if (names === null) {
      names = cells
      columns = columnsOf(cells, given)
      if (columns === null) {
        yield problem(
          at,
          'NOT_RECOGNISED',
          `None of the columns ${cells.slice(0, 12).join(', ')} is known to hold a text. Say which one does: text=<column>.`,
        )
        return
      }
    } else if (columns !== null) {
      if (cells.length > names.length)
        yield problem(at, 'BAD_ROW', `The row has ${cells.length} cells, and the file has ${names.length} columns.`)
      else yield claimOfRecord(Object.fromEntries(names.map((name, place) => [name, cells[place] ?? ''])), columns, at)
    }
  }
}

export const csv: Importer = { recognises, read }
