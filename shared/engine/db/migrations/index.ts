import init from './000001_init.sql?raw'
import guards from './000002_guards.sql?raw'
import review from './000003_review.sql?raw'
import time from './000004_time.sql?raw'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

/** Applied in order, forward only. A released file is never edited: a change is a new file. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'init', sql: init },
  { version: 2, name: 'guards', sql: guards },
  { version: 3, name: 'review', sql: review },
  { version: 4, name: 'time', sql: time },
]
