import { parseJson } from '../../contract/json.ts'
import { linesOf, LONGEST_LINE, type SourceFile } from './bytes.ts'
import { isFields, problem, type Fields, type Found, type Place } from './found.ts'
import { jsonItems, LONGEST_ITEM, type JsonItem } from './json-items.ts'

/** Reads JSON records of a file, and tells what cannot be read where it stands. */

const MIB = 1024 * 1024

/** What is read of each record. */
export type ReadFields = (fields: Fields, at: Place, key: string) => Iterable<Found>

/** What a parser says, without what it says of a body. */
const why = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^The body is not valid JSON: /, '')

/** A file of one JSON object a line, of at most `longest` bytes. */
export async function* readLines(file: SourceFile, read: ReadFields, longest = LONGEST_LINE): AsyncGenerator<Found> {
  for await (const { line, text, why: unread } of linesOf(file.bytes, longest)) {
    const at = { path: file.path, line }
    if (text === null) {
      yield unread === 'long'
        ? problem(at, 'TOO_LONG', `The line is longer than ${longest / MIB} MiB and was passed over.`)
        : problem(at, 'BAD_ENCODING', 'The line is not UTF-8.')
      continue
    }
    if (text.trim() === '') continue
    let value: unknown
    try {
      value = parseJson(text)
    } catch (error) {
      yield problem(at, 'BAD_JSON', `The line is not JSON: ${why(error)}`)
      continue
    }
    if (isFields(value)) yield* read(value, at, '')
    else yield problem(at, 'BAD_JSON', 'The line is JSON, and no object.')
  }
}

const UNREAD: Readonly<
  Record<
    Extract<JsonItem, { why: unknown }>['why'],
    readonly [code: 'BAD_JSON' | 'BAD_ENCODING' | 'TOO_LONG' | 'TOO_DEEP' | 'CUT_SHORT', message: string]
  >
> = {
  syntax: ['BAD_JSON', 'is not JSON'],
  encoding: ['BAD_ENCODING', 'is not UTF-8'],
  long: ['TOO_LONG', `is longer than ${LONGEST_ITEM / MIB} MiB and was passed over`],
  deep: ['TOO_DEEP', 'nests deeper than 512 levels'],
  cut: ['CUT_SHORT', 'does not end: the file is cut short'],
}

/** A JSON document: each object of the array that it is, or of the arrays that it holds. */
export async function* readDocument(file: SourceFile, read: ReadFields): AsyncGenerator<Found> {
  for await (const item of jsonItems(file.bytes)) {
    const at = { path: file.path, line: item.line }
    if ('why' in item) {
      const [code, message] = UNREAD[item.why]
      yield problem(at, code, `Element ${item.index} ${message}.`)
    } else if (isFields(item.value)) yield* read(item.value, at, item.key)
    else if (item.key === '') yield problem(at, 'BAD_JSON', `Element ${item.index} is no object.`)
  }
}
