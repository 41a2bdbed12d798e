import type { LeftReason, Problem } from './found.ts'
import type { Format } from './importers.ts'

export type Outcome = 'written' | 'held' | 'skipped' | 'refused'

/** What can be stored: memories, and what else a Loom export holds. */
export type Kind = 'memory' | 'record' | 'document' | 'thread' | 'message' | 'run' | 'event' | 'scratch'

/** What an import came to, so far or in the end. */
export interface Report {
  readonly dry_run: boolean
  readonly cancelled: boolean
  /** Files that were read, the first 1,000. */
  readonly files: readonly { readonly path: string; readonly format: Format; readonly found: number }[]
  readonly file_count: number
  /** Claims, rows and whatever else can be stored, as found. */
  readonly found: number
  readonly totals: Readonly<Record<Outcome, number>>
  /** Of `totals.written` how many of each kind. */
  readonly written: Readonly<Partial<Record<Kind, number>>>
  /** Counts by outcome and reason, as `skipped unchanged`; a plain write has no reason. */
  readonly reasons: Readonly<Record<string, number>>
  /** What is no claim, by why. */
  readonly left: Readonly<Partial<Record<LeftReason, number>>>
  /** The first 200. */
  readonly problems: readonly Problem[]
  readonly problem_count: number
  readonly bytes_read: number
  readonly bytes_total: number
}

const MOST_FILES = 1000
const MOST_PROBLEMS = 200

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * Counts what happens, and shows it whole.
 * @param total bytes of all files
 */
export function createTally(dryRun: boolean, total: number) {
  const totals: Mutable<Report['totals']> = { written: 0, held: 0, skipped: 0, refused: 0 }
  const written: Partial<Record<Kind, number>> = {}
  const reasons: Record<string, number> = {}
  const left: Partial<Record<LeftReason, number>> = {}
  const files: { path: string; format: Format; found: number }[] = []
  const problems: Problem[] = []
  const counts = { files: 0, found: 0, problems: 0, read: 0 }
  return {
    counts,
    file(path: string, format: Format): void {
      counts.files++
      if (files.length < MOST_FILES) files.push({ path, format, found: 0 })
    },
    found(): void {
      counts.found++
      const file = files.at(-1)
      if (file && counts.files <= MOST_FILES) file.found++
    },
    left: (reason: LeftReason): void => void (left[reason] = (left[reason] ?? 0) + 1),
    problem(one: Problem): void {
      counts.problems++
      if (problems.length < MOST_PROBLEMS) problems.push(one)
    },
    result(outcome: Outcome, reason: string, kind: Kind = 'memory', count = 1): void {
      if (count === 0) return
      totals[outcome] += count
      if (outcome === 'written') written[kind] = (written[kind] ?? 0) + count
      const name = reason === '' ? outcome : `${outcome} ${reason}`
      reasons[name] = (reasons[name] ?? 0) + count
    },
    report: (cancelled: boolean): Report => ({
      dry_run: dryRun,
      cancelled,
      files: files.map((file) => ({ ...file })),
      file_count: counts.files,
      found: counts.found,
      totals: { ...totals },
      written: { ...written },
      reasons: { ...reasons },
      left: { ...left },
      problems: [...problems],
      problem_count: counts.problems,
      bytes_read: Math.min(counts.read, total),
      bytes_total: total,
    }),
  }
}
export type Tally = ReturnType<typeof createTally>
