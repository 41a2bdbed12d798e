import { wholeText, type SourceFile } from './bytes.ts'
import { problem, type About, type Fields, type Found } from './found.ts'
import { dateIn, frontMatterOf, tagsIn } from './front-matter.ts'

/** A Markdown file, read whole. */
export interface Note {
  readonly fields: Fields
  /** What its front matter says of all that it holds. */
  readonly about: Pick<About, 'valid_at'> & { readonly tags: readonly string[] }
  readonly body: string
  /** Line of the body's first line, counted from 1. */
  readonly line: number
}

/** Most bytes of one note. */
const LONGEST = 16 * 1024 * 1024

/** Reads a note; null for one that cannot be read, which is told. */
export async function* readNote(file: SourceFile): AsyncGenerator<Found, Note | null> {
  const at = { path: file.path, line: 1 }
  const read = await wholeText(file.bytes, LONGEST)
  if (read === null) {
    yield problem(at, 'TOO_LONG', 'A file of more than 16 MiB is no note. Nothing of it was taken.')
    return null
  }
  if (read.broken) {
    yield problem(at, 'BAD_ENCODING', 'The file is not UTF-8. Nothing of it was taken.')
    return null
  }
  const { fields, body, line, problem: unread } = frontMatterOf(read.text)
  if (unread !== '') yield problem(at, 'BAD_ROW', `${unread} Its tags and dates are left out.`)
  return { fields, about: { tags: tagsIn(fields), valid_at: dateIn(fields) }, body, line }
}
