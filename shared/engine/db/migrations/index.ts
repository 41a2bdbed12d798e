import init from './000001_init.sql?raw'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

/** Applied in order, forward only. A released file is never edited: a change is a new file. */
export const MIGRATIONS: readonly Migration[] = [{ version: 1, name: 'init', sql: init }]
