import type { SourceFile } from '../bytes.ts'
import type { Found } from '../found.ts'
import type { Head } from '../head.ts'
import { markdownClaims } from '../markdown-blocks.ts'
import { readNote } from '../note.ts'
import type { Importer } from '../importer.ts'

/** Notes in Markdown: an Obsidian vault, CLAUDE.md and AGENTS.md, and whatever else a person keeps by hand. */

/** Any text that nothing else knows. */
const recognises = (head: Head): boolean => !head.isDocument && head.records.length === 0 && head.text.trim() !== ''

async function* read(file: SourceFile): AsyncGenerator<Found> {
  const note = yield* readNote(file)
  if (note) yield* markdownClaims(note.body, { ...note.about, trace: file.path }, { path: file.path, line: note.line })
}

export const markdown: Importer = { recognises, read }
