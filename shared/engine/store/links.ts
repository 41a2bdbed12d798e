import type { Tx } from '../db/database.ts'

/** The two rows of a link, in its direction, and what it says. */
export interface LinkEnds {
  readonly org: string
  readonly from_id: string
  readonly to_id: string
  readonly relation: string
}

export interface Link {
  readonly note: string
  readonly actor: string
  readonly at: Date
}

export async function linkBetween(tx: Tx, ends: LinkEnds): Promise<Link | null> {
  const row = await tx
    .selectFrom('memory_link')
    .select(['note', 'actor', 'at'])
    .where('org', '=', ends.org)
    .where('from_id', '=', ends.from_id)
    .where('to_id', '=', ends.to_id)
    .where('relation', '=', ends.relation)
    .executeTakeFirst()
  return row ?? null
}

/** One link for each pair of rows and relation: writing it again replaces its note. */
export async function writeLink(tx: Tx, link: LinkEnds & Link & { readonly namespace: string }): Promise<void> {
  const { note, actor, at } = link
  await tx
    .insertInto('memory_link')
    .values(link)
    .onConflict((conflict) => conflict.columns(['org', 'from_id', 'to_id', 'relation']).doUpdateSet({ note, actor, at }))
    .execute()
}

export async function removeLink(tx: Tx, ends: LinkEnds): Promise<void> {
  await tx
    .deleteFrom('memory_link')
    .where('org', '=', ends.org)
    .where('from_id', '=', ends.from_id)
    .where('to_id', '=', ends.to_id)
    .where('relation', '=', ends.relation)
    .execute()
}
