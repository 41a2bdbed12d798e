import type { ColumnType } from 'kysely'

/** Read as what it holds, written as text. */
export type Json = ColumnType<unknown, string, string>
