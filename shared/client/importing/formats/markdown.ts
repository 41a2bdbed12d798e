import { wholeText, type SourceFile } from '../bytes.ts'
import { problem, type Found } from '../found.ts'
import { dateIn, frontMatterOf, tagsIn } from '../front-matter.ts'
import type { Head } from '../head.ts'
import { markdownClaims } from '../markdown-blocks.ts'
import type { Importer } from '../importer.ts'

/** Notes in Markdown: an Obsidian vault, CLAUDE.md and AGENTS.md, and whatever else a person keeps by hand. */

/** Any text that nothing else knows. */
const recognises = (head: Head): boolean => !head.isDocument && head.records.length === 0 && head.text.trim() !== ''

/** Most bytes of one note. */
export const LONGEST_NOTE = 16 * 1024 * 1024

async function* read(file: SourceFile): AsyncGenerator<Found> {
  const at = { path: file.path, line: 1 }
  const read = await wholeText(file.bytes, LONGEST_NOTE)
  if (read === null) return yield problem(at, 'TOO_LONG', 'A note of more than 16 MiB is no note. Nothing of it was taken.')
  if (read.broken) return yield problem(at, 'BAD_ENCODING', 'The file is not UTF-8. Nothing of it was taken.')
  const { fields, body, line, problem: unread } = frontMatterOf(read.text)
  if (unread !== '') yield problem(at, 'BAD_ROW', `${unread} Its tags and dates are left out.`)
  yield* markdownClaims(body, { tags: tagsIn(fields), valid_at: dateIn(fields), trace: file.path }, { path: file.path, line })
}

export const markdown: Importer = { recognises, read }
