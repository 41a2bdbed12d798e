import type { Selectable } from 'kysely'
import { parseJson } from '../../contract/json.ts'
import type { ListRow } from '../../contract/row.ts'
import { claimText, firstCharacters } from '../../domain/claim/claim-text.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { UsageColumns } from '../db/tables.ts'
import type { Head } from '../store/memories.ts'
import type { Attached } from '../store/attached.ts'
import { rowView } from '../store/row-view.ts'
import { sharedHead, type SharedRow } from '../store/shelf-heads.ts'
import { LIST_EXCERPT } from '../write/content.ts'
import { lockOf } from '../write/state.ts'

/** A head in a list. A row of high sensitivity is listed without excerpt and value. */
export function listRowView(
  head: Head,
  usage: Selectable<UsageColumns> | undefined,
  openConflicts: number,
  values: boolean,
  now: Date,
  attached?: Attached,
): ListRow {
  const withheld = head.sensitivity === 'high'
  const { value, relations: _relations, lock: _lock, ...row } = rowView(head, usage, [], now, attached)
  return {
    ...row,
    ...(values && !withheld && { value }),
    excerpt: withheld ? '' : head.excerpt,
    withheld,
    locked: lockOf(head, now) !== null,
    open_conflicts: openConflicts,
  }
}

/** A shared copy in a list: what it says, and nothing of its row. */
export function copyRowView(copy: SharedRow, values: boolean, now: Date): ListRow {
  const excerpt = firstCharacters(claimText(parseJson(copy.value) as Json), LIST_EXCERPT)
  return { ...listRowView({ ...sharedHead(copy), excerpt }, undefined, 0, values, now), source: 'shared' }
}
