import type { SourceFile } from './bytes.ts'
import type { Columns } from './columns.ts'
import type { Found } from './found.ts'
import type { Head } from './head.ts'

/** Turns the files of one format into claims. */
export interface Importer {
  /** Whether the start of a file is of this format. */
  recognises(head: Head, columns: Columns): boolean
  /** All that is in a file, what cannot be read among it. */
  read(file: SourceFile, head: Head, columns: Columns): AsyncIterable<Found>
}
