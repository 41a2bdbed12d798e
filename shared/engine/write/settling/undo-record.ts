import { parseJson, stringifyJson } from '../../../contract/json.ts'
import { GUARD_COLUMNS } from '../../db/columns.ts'
import type { GuardColumns } from '../../db/tables.ts'
import type { Head } from '../../store/memories.ts'
import type { MovedCounters } from '../../store/usage.ts'

/** One row that a settlement changed: the version it had, the one it got, and the guards that no version keeps. */
export interface Touched {
  readonly memoryId: string
  readonly before: bigint
  readonly after: bigint
  readonly guards: GuardColumns
}

/** What a settlement changed, kept with the pair to put it back. */
export interface UndoRecord {
  readonly touched: readonly Touched[]
  /** Open pairs that the change of a side made stale. */
  readonly staled: readonly string[]
  /** Pairs that the settlement opened. */
  readonly opened: readonly string[]
  readonly moved: MovedCounters | null
  /** The value of a merge, as stored; '' for none. */
  readonly mergedSha256: string
  /** What the person said. */
  readonly note: string
}

const DATES = new Set(['lock_until', 'locked_at', 'verified_at'])

export function touchedBy(before: Head, after: Pick<Head, 'version'>): Touched {
  const guards = Object.fromEntries(GUARD_COLUMNS.map((column) => [column, before[column]])) as unknown as GuardColumns
  return { memoryId: before.memory_id, before: before.version, after: after.version, guards }
}

export function writeUndo(record: UndoRecord): string {
  return stringifyJson({
    ...record,
    touched: record.touched.map((row) => ({ ...row, before: row.before.toString(), after: row.after.toString() })),
    moved: record.moved && { ...record.moved, recalledBefore: record.moved.recalledBefore?.toISOString() ?? null },
  })
}

const date = (text: unknown): Date | null => (typeof text === 'string' ? new Date(text) : null)

export function readUndo(text: string): UndoRecord {
  // Versions were written as integers past 2^53, or smaller in tests: either way they come back as bigint here.
  const raw = parseJson(text) as Omit<UndoRecord, 'touched'> & {
    touched: { memoryId: string; before: number | bigint; after: number | bigint; guards: Record<string, unknown> }[]
  }
  return {
    ...raw,
    touched: raw.touched.map((row) => ({
      memoryId: row.memoryId,
      before: BigInt(row.before),
      after: BigInt(row.after),
      guards: Object.fromEntries(
        Object.entries(row.guards).map(([name, value]) => [name, DATES.has(name) ? date(value) : value]),
      ) as unknown as GuardColumns,
    })),
    moved: raw.moved && { ...raw.moved, recalledBefore: date(raw.moved.recalledBefore) },
  }
}
