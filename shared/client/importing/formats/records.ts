import type { SourceFile } from '../bytes.ts'
import { claimOfRecord, columnsOf, type Columns } from '../columns.ts'
import { problem, type Found } from '../found.ts'
import type { Head } from '../head.ts'
import { readDocument, readLines, type ReadFields } from '../json-lines.ts'
import type { Importer } from '../importer.ts'

/** JSON records of any kind, one a line or in an array, whose members the caller maps. */

const recognises = (head: Head): boolean => head.isDocument || head.records.length > 0

/** The columns of each record: those of the first that has a text. */
function reader(given: Columns): ReadFields {
  return function* (record, at) {
    const columns = columnsOf(Object.keys(record), given)
    if (columns !== null) return yield claimOfRecord(record, columns, at)
    const names = Object.keys(record).slice(0, 12).join(', ')
    yield problem(at, 'BAD_ROW', `None of the members ${names} is known to hold a text. Say which one does: text=<member>.`)
  }
}

async function* read(file: SourceFile, head: Head, columns: Columns): AsyncGenerator<Found> {
  yield* head.records.length > 0 && !(head.isDocument && head.lines.length > 1)
    ? readLines(file, reader(columns))
    : readDocument(file, reader(columns))
}

export const records: Importer = { recognises, read }
