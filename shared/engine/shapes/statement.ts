import { CompiledQuery } from 'kysely'
import type { Queryable } from '../db/database.ts'

/** Puts a value into a statement; answers the placeholder that stands for it. */
export type Bind = (value: unknown) => string

/** Collects the values of one statement whose text is put together from parts. */
export function parameters(): { readonly bind: Bind; readonly values: unknown[] } {
  const values: unknown[] = []
  return { values, bind: (value) => `$${values.push(value)}` }
}

/** Runs a statement that was put together; rows as the database gives them. */
export async function runStatement<R>(db: Queryable, text: string, values: readonly unknown[]): Promise<readonly R[]> {
  const { rows } = await db.executeQuery<R>(CompiledQuery.raw(text, [...values]))
  return rows
}

/** A name as an identifier of SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as a literal of SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
