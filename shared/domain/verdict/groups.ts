import { differentEnvironments } from '../judge/environments.ts'

/** A row that may say the same as another. */
export interface Groupable {
  readonly id: string
  readonly key: string
  readonly memoryType: string
  /** Hash of the canonical text, '' for none. */
  readonly canonical: string
  readonly pinned: boolean
  readonly reinforced: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

const byStanding = (a: Groupable, b: Groupable): number =>
  Number(b.pinned) - Number(a.pinned) || b.reinforced - a.reinforced || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)

/**
 * Groups of rows that say the same: one type and canonical text, or related by a sure duplicate. The first of a group
 * stands for it: pinned, then most reinforced, then oldest. Keys of two environments are two facts, and stay apart.
 */
export function groupSame(rows: readonly Groupable[], related: readonly (readonly [string, string])[]): Groupable[][] {
  const groups = new Map<string, Groupable[]>(rows.map((row) => [row.id, [row]]))
  const join = (a: string, b: string): void => {
    const [left, right] = [groups.get(a), groups.get(b)]
    if (!left || !right || left === right) return
    if (left.some((one) => right.some((other) => differentEnvironments(one.key, other.key)))) return
    left.push(...right)
    for (const row of right) groups.set(row.id, left)
  }
  const byText = new Map<string, Groupable[]>()
  for (const row of rows) {
    if (row.canonical === '') continue
    const name = `${row.memoryType}/${row.canonical}`
    const same = byText.get(name) ?? []
    for (const other of same) join(other.id, row.id)
    byText.set(name, [...same, row])
  }
  for (const [a, b] of related) join(a, b)
  const whole = [...new Set(groups.values())].filter((group) => group.length > 1)
  return whole.map((group) => group.toSorted(byStanding))
}
