import type { Json } from '../../domain/claim/json.ts'
import type { Tx } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'

export type JobNotes = { readonly [name: string]: Json }

/** A note that is a text, or "". */
export function noteText(notes: JobNotes, name: string): string {
  const note = notes[name]
  return typeof note === 'string' ? note : ''
}

/** Where a job goes on after a stop, in table `job`. */
export interface JobState {
  /** What was saved last; {} at first. */
  readonly notes: JobNotes
  /** Keeps notes for the next run, in the transaction of the work they tell of when one is given. */
  save(notes: JobNotes, tx?: Tx): Promise<void>
}

/**
 * A background pass. It runs under a lease, so in one process at a time, and is stopped and started at any point: work
 * goes in short transactions that each look again before they change anything.
 */
export interface Job {
  readonly name: string
  /** Milliseconds from the end of one run to the next. */
  readonly everyMs: number
  /** The only kind of host that has it; left out: every host. */
  readonly host?: 'server' | 'desktop'
  /**
   * Answers `again` when more is due than it took on, or the milliseconds to its next run where these are not `everyMs`.
   * A throw is logged, and the job is tried again later.
   */
  run(parts: EngineParts, signal: AbortSignal, state: JobState): Promise<'done' | 'again' | { readonly inMs: number }>
}
