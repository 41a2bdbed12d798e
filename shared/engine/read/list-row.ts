import type { Selectable } from 'kysely'
import type { ListRow } from '../../contract/row.ts'
import type { UsageColumns } from '../db/tables.ts'
import type { Head } from '../store/memories.ts'
import type { Attached } from '../store/attached.ts'
import { rowView } from '../store/row-view.ts'
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
