import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { memoryInspect as contract } from '../../../contract/ops/memory/inspect.ts'
import { defineRead } from '../../handler.ts'
import { anyHead } from '../../read/any-head.ts'
import { indexOf, readingOf, verdictOf } from '../../read/inspection.ts'
import { sharedAt } from '../../store/shelf.ts'
import { readRow } from '../../store/row-view.ts'

type Answer = Output<typeof contract>

const NOTHING: Answer = {
  found: false,
  row: null,
  verdict: null,
  index: null,
  links: 0,
  shared: null,
  sync: null,
  collapse: null,
  claim: null,
}

/** Counts nothing, and changes nothing: for a person who wants to know why a row behaves as it does. */
export const memoryInspect = defineRead(contract, async (input, context): Promise<Answer> => {
  const { db, now } = context
  const head = await anyHead(input, context)
  if (!head) return NOTHING
  const { rows } = await sql<{ links: number; canonical: string | null }>`SELECT
    (SELECT count(*)::int FROM loom.memory_link WHERE org = ${head.org} AND (from_id = ${head.memory_id} OR to_id = ${head.memory_id})) AS links,
    (SELECT c.memory_key FROM loom.memory_lexical l JOIN loom.memory c ON c.org = l.org AND c.memory_id = l.collapse_group
      WHERE l.org = ${head.org} AND l.memory_id = ${head.memory_id} AND l.version = ${head.version} AND l.collapse_group <> l.memory_id) AS canonical`.execute(
    db,
  )
  const canonical = rows[0]?.canonical ?? null
  const onShelf = await sharedAt(db, head)
  const shared = onShelf?.memory_id === head.memory_id ? onShelf : null
  return {
    found: true,
    row: await readRow(db, head, now),
    verdict: await verdictOf(head, context),
    index: await indexOf(head, context),
    links: rows[0]?.links ?? 0,
    shared: shared && {
      version: shared.version,
      version_text: shared.version.toString(),
      at: shared.at.toISOString(),
      actor: shared.actor,
      stale: shared.version !== head.version,
    },
    sync: { state: 'none', base_version: null, server_version: null, last_error: '', change_ids: [] },
    collapse: canonical === null ? null : { canonical_key: canonical },
    claim: readingOf(head),
  }
})
