import type { Tx } from '../db/database.ts'
import type { Change } from './change-log.ts'
import type { StoredHandle } from './handles.ts'
import { isShapeName } from './definitions.ts'
import { DEPENDENTS, type ServedShape } from './served.ts'
import { runStatement } from './statement.ts'

/** A row of a shape to look at again. */
export interface DirtyRow {
  /** Values of the shape's key. */
  readonly key: readonly string[]
  /** The transaction that its message is told under: the last that changed it. */
  xid: bigint
  /** Place of that change among all. */
  order: number
  /** The transactions that changed it. */
  readonly xids: bigint[]
  /** Columns that changed; `all`: it came, or went and came back. */
  changed: Set<string> | 'all'
}

/** Columns of memory that decide who has a row, and with it what hangs on the row. */
const DECIDING = new Set(['namespace', 'user_id', 'session_id', 'memory_key', 'erased_by'])

/**
 * The rows that changes made dirty, by shape, for the shapes that are followed: the changed ones, and those that hang on
 * a row of memory that came, went, or belongs to somebody else now.
 */
export async function gatherDirty(
  tx: Tx,
  org: string,
  shapes: ReadonlyMap<string, ServedShape>,
  handles: readonly StoredHandle[],
  changes: readonly Change[],
): Promise<Map<ServedShape, DirtyRow[]>> {
  const dirty = new Map<ServedShape, Map<string, DirtyRow>>()
  const mark = (
    shape: ServedShape,
    key: readonly string[],
    change: Change,
    order: number,
    changed: readonly string[] | 'all',
    xids: readonly bigint[] = [change.xid],
  ): void => {
    const rows = dirty.get(shape) ?? new Map<string, DirtyRow>()
    dirty.set(shape, rows)
    const name = JSON.stringify(key)
    const known = rows.get(name)
    if (!known) {
      const columns = changed === 'all' ? changed : new Set(changed)
      rows.set(name, { key, xid: change.xid, order, xids: [...xids], changed: columns })
      return
    }
    if (change.xid >= known.xid) Object.assign(known, { xid: change.xid, order })
    known.xids.push(...xids)
    if (changed === 'all') known.changed = 'all'
    else if (known.changed !== 'all') for (const column of changed) known.changed.add(column)
  }

  const followed = [...new Set(handles.map((handle) => handle.shape))].flatMap((name) => shapes.get(name) ?? [])
  for (const [order, change] of changes.entries()) {
    for (const shape of followed) {
      if (shape.relation[1] !== change.relation) continue
      const key = shape.key[0] === 'org' ? [change.org, ...change.row_key] : change.row_key
      mark(shape, key, change, order, change.op === 'u' ? change.changed : 'all')
    }
  }

  const moved = new Map<string, Change>()
  for (const change of changes) {
    if (change.relation !== 'memory') continue
    const id = change.row_key[0] ?? ''
    if (change.op !== 'u' || change.changed.some((column) => DECIDING.has(column))) moved.set(id, change)
  }
  if (moved.size === 0) return listed(dirty)
  const moves = [...moved.values()].map((change) => change.xid)
  for (const shape of followed) {
    const statement = isShapeName(shape.name) ? DEPENDENTS[shape.name] : undefined
    if (!statement || shape.relation[0] !== 'loom') continue
    // What a key is filed under hangs on its rows for followers bound to a user alone.
    const isBound = handles.some(({ shape: name, filter }) => name === shape.name && (filter.user_id !== '' || filter.session_id !== ''))
    if (shape.name === 'category_links' && !isBound) continue
    const last = changes.at(-1)
    const rows = await runStatement<Record<string, string>>(tx, statement, [org, [...moved.keys()]])
    for (const row of rows) {
      // Told last, but new to a snapshot as soon as one of the moves is.
      if (last) mark(shape, Object.values(row), last, changes.length, [], moves)
    }
  }
  return listed(dirty)
}

function listed(dirty: ReadonlyMap<ServedShape, ReadonlyMap<string, DirtyRow>>): Map<ServedShape, DirtyRow[]> {
  return new Map([...dirty].map(([shape, rows]) => [shape, [...rows.values()]]))
}
