import { sql } from 'kysely'
import { fold } from '../../domain/text/fold.ts'
import type { Queryable, Tx } from '../db/database.ts'

/** Categories are matched without case. */
export const categoryKey = (category: string): string => fold(category)

export interface Category {
  readonly category_key: string
  readonly category: string
  readonly description: string
  readonly retired: boolean
}

export async function categoryNamed(db: Queryable, org: string, namespace: string, category: string): Promise<Category | null> {
  const row = await db
    .selectFrom('namespace_category')
    .select(['category_key', 'category', 'description', 'retired'])
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('category_key', '=', categoryKey(category))
    .executeTakeFirst()
  return row ?? null
}

export interface CategoryLink {
  readonly actor: string
  readonly at: Date
  readonly rescinded_at: Date | null
}

export async function categoryLink(
  db: Queryable,
  org: string,
  namespace: string,
  key: string,
  category: string,
): Promise<CategoryLink | null> {
  const row = await db
    .selectFrom('memory_category')
    .select(['actor', 'at', 'rescinded_at'])
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('memory_key', '=', key)
    .where('category_key', '=', categoryKey(category))
    .executeTakeFirst()
  return row ?? null
}

/** Links a key to a category, or revives a rescinded link. */
export async function linkCategory(
  tx: Tx,
  org: string,
  namespace: string,
  key: string,
  category: string,
  link: CategoryLink,
): Promise<void> {
  await tx
    .insertInto('memory_category')
    .values({ org, namespace, memory_key: key, category_key: categoryKey(category), ...link })
    .onConflict((conflict) => conflict.columns(['org', 'namespace', 'memory_key', 'category_key']).doUpdateSet(link))
    .execute()
}

/** Names of the keys, as `<namespace>\n<key>`, that are in a category. */
export async function keysInCategory(db: Queryable, org: string, namespaces: readonly string[], category: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('memory_category')
    .select(['namespace', 'memory_key'])
    .where('org', '=', org)
    .where('namespace', '=', sql<string>`any(${[...namespaces]}::text[])`)
    .where('category_key', '=', categoryKey(category))
    .where('rescinded_at', 'is', null)
    .execute()
  return new Set(rows.map((row) => `${row.namespace}\n${row.memory_key}`))
}
