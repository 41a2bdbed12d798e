import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { parseJson } from '../../../contract/json.ts'
import { memoryForFile as contract } from '../../../contract/ops/memory/for_file.ts'
import { firstCharacters, valueText } from '../../../domain/claim/claim-text.ts'
import { levelPath, matchFile, type FileMatch } from '../../../domain/claim/file-match.ts'
import type { Json } from '../../../domain/claim/json.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { servedRows } from '../../read/rows-in-scope.ts'
import type { Head } from '../../store/memories.ts'
import { conflictsOf } from '../../store/pairs.ts'
import { iso } from '../../store/row-view.ts'

type Shown = Output<typeof contract>['rows'][number]

const SHOWN_CHARACTERS = 1200
const ORDER: readonly FileMatch[] = ['exact', 'suffix', 'directory']

/** Rows served by default that name one of these files, a folder of it, or a longer or shorter path to it. */
async function rowsNaming(paths: readonly string[], context: ReadContext): Promise<Head[]> {
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m
    WHERE ${await servedRows(context)} AND m.files <> '{}'
      AND EXISTS (SELECT 1 FROM (SELECT regexp_replace(replace(f, '\\', '/'), '^(\\./)+', '') AS file FROM unnest(m.files) AS f) AS stored,
        unnest(${[...paths]}::text[]) AS p
        WHERE file = p OR right(p, length(file) + 1) = '/' || file OR right(file, length(p) + 1) = '/' || p OR (right(file, 1) = '/' AND starts_with(p, file)))
    ORDER BY m.updated_at DESC, m.memory_id`.execute(context.db)
  return rows
}

function viewOf(path: string, match: FileMatch, head: Head, conflicts: readonly string[]): Shown {
  return {
    path,
    match,
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    value_text: firstCharacters(valueText(parseJson(head.value ?? 'null') as Json), SHOWN_CHARACTERS),
    memory_type: head.memory_type as Shown['memory_type'],
    status: head.status as Shown['status'],
    tags: head.tags,
    confidence: head.confidence,
    pinned: head.pinned,
    files: head.files,
    valid_at: iso(head.valid_at),
    updated_at: head.updated_at.toISOString(),
    source_class: head.source_class as Shown['source_class'],
    verified: head.verified_by !== '' && head.verified_sha256 === head.content_sha256,
    conflicts: [...conflicts],
    version: head.version,
    version_text: head.version.toString(),
  }
}

export const memoryForFile = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  if ((input.path === undefined) === (input.paths === undefined)) {
    throw new LoomError('INVALID_ARGUMENT', 'Name path or paths, one of them.', { field: 'path' })
  }
  const paths = [...new Set(input.paths ?? [input.path ?? ''])]
  const heads = await rowsNaming(paths.map(levelPath), context)
  const matched = paths.flatMap((path) =>
    heads.flatMap((head) => {
      const match = matchFile(path, head.files)
      return match === null ? [] : [{ path, match, head }]
    }),
  )
  // The rows come newest first, and the sort keeps that among equals.
  matched.sort((a, b) => Number(b.head.pinned) - Number(a.head.pinned) || ORDER.indexOf(a.match) - ORDER.indexOf(b.match))
  const shown = matched.slice(0, input.limit)
  const conflicts = await conflictsOf(
    context.db,
    context.identity.org,
    shown.map(({ head }) => head.memory_id),
  )
  for (const { head } of shown) context.parts.usage.served(head.org, head.memory_id, contract.name)
  return {
    rows: shown.map(({ path, match, head }) => viewOf(path, match, head, conflicts.get(head.memory_id)?.map((other) => other.key) ?? [])),
  }
})
