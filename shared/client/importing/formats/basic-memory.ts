import type { SourceFile } from '../bytes.ts'
import { claimOf, left, textIn, type Found } from '../found.ts'
import type { Head } from '../head.ts'
import { blocksOf, inlineTags, plainText } from '../markdown-blocks.ts'
import { readNote } from '../note.ts'
import type { Importer } from '../importer.ts'

/** A note of basic-memory: observations `- [category] text #tag (context)` and relations `- relation [[Target]]`. */

const OBSERVATION = /^\[([^\][\s][^\][]*)\]\s+(.+)$/
const RELATION = /^(.*?)\s*\[\[([^\]]+)\]\](?:\s*\([^)]*\))?\s*$/
const IN_HEAD = /^\s*-\s+\[[^\][\s][^\][]+\]\s+\S/m

const recognises = (head: Head): boolean =>
  !head.isDocument &&
  head.records.length === 0 &&
  ((/^permalink:/m.test(head.text) && head.text.startsWith('---')) ||
    (/^#+\s+Observations\s*$/im.test(head.text) && IN_HEAD.test(head.text)))

async function* read(file: SourceFile): AsyncGenerator<Found> {
  const note = yield* readNote(file)
  if (note === null) return
  const { fields, about: shared, body, line } = note
  const title = textIn(fields, 'title') || (file.path.split('/').at(-1) ?? '').replace(/\.[^.]+$/, '')
  for (const block of blocksOf(body, line)) {
    const place = { path: file.path, line: block.line }
    const about = { ...shared, trace: `${textIn(fields, 'permalink') || file.path}:${block.line}` }
    const observation = block.kind === 'item' ? OBSERVATION.exec(block.text) : null
    const relation = block.kind === 'item' && !observation ? RELATION.exec(block.text) : null
    if (observation) {
      const [, category = '', said = ''] = observation
      const text = plainText(said.replaceAll(/\s#[\p{L}\p{N}_/-]+/gu, ''))
      yield claimOf(`${title}: ${text}`, { ...about, category, tags: [...shared.tags, ...inlineTags(said)] }, place)
    } else if (relation) {
      const [, kind = '', target = ''] = relation
      yield claimOf(
        `${title} ${(kind || 'relates to').replaceAll('_', ' ')} ${target}.`,
        { ...about, tags: [...shared.tags, 'relation'] },
        place,
      )
    } else if (block.kind === 'task' || block.kind === 'code') yield left(block.kind)
    else yield claimOf(plainText(block.text), { ...about, tags: [...shared.tags, ...inlineTags(block.text)] }, place)
  }
}

export const basicMemory: Importer = { recognises, read }
