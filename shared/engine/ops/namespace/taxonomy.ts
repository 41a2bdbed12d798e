import { sql, type RawBuilder } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { namespaceTaxonomy as contract } from '../../../contract/ops/namespace/taxonomy.ts'
import { fold } from '../../../domain/text/fold.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { inSelector, unexpired } from '../../read/rows-in-scope.ts'

type Answer = Output<typeof contract>

/** Live rows that a default read shows: conflicted ones are out of it where the policy keeps what exists. */
async function shown(context: ReadContext): Promise<RawBuilder<unknown>> {
  const { db, identity, now, parts } = context
  const { default_conflict_policy: policy } = await parts.settings.get(db, identity.org, identity.namespace)
  const statuses = policy === 'keep_existing' ? sql`m.status = 'active'` : sql`m.status IN ('active', 'conflicted')`
  return sql`${inSelector(context)} AND ${statuses} AND ${unexpired(now)} AND m.sensitivity <> 'high'`
}

const startsWith = (text: RawBuilder<unknown>, prefix: string): RawBuilder<unknown> =>
  sql`starts_with(lower(normalize(${text})), ${fold(prefix)})`

export const namespaceTaxonomy = defineRead(contract, async (input, context): Promise<Answer> => {
  const { db, identity, parts } = context
  const { org, namespace } = identity
  const rows = await shown(context)
  const { tag_registry: registry } = await parts.settings.get(db, org, namespace)
  const policies = new Map(Object.entries(registry).map(([tag, policy]) => [fold(tag), { tag, policy }]))
  // A tag differing in case counts once, spelt as most used.
  const { rows: used } = await sql<{ lower: string; tag: string; count: number; last: Date }>`
    SELECT lower(normalize(t)) AS lower, mode() WITHIN GROUP (ORDER BY t) AS tag, count(DISTINCT m.memory_id)::int AS count, max(m.updated_at) AS last
    FROM loom.memory m, unnest(m.tags) AS t WHERE ${rows} AND ${startsWith(sql`t`, input.prefix)}
    GROUP BY lower(normalize(t)) ORDER BY count DESC, lower(normalize(t)) LIMIT ${input.limit}`.execute(db)
  const usedTags = new Set(used.map((row) => row.lower))
  const unused =
    used.length < input.limit
      ? [...policies.entries()].filter(([lower]) => !usedTags.has(lower) && lower.startsWith(fold(input.prefix)))
      : []
  const { rows: entities } = await sql<{ entity: string; count: number; last: Date }>`
    SELECT e AS entity, count(*)::int AS count, max(m.updated_at) AS last FROM loom.memory m, unnest(m.entities) AS e
    WHERE ${rows} AND ${startsWith(sql`e`, input.prefix)} GROUP BY e ORDER BY count DESC, e LIMIT ${input.limit}`.execute(db)
  const { rows: categories } = await sql<Answer['categories'][number]>`
    SELECT c.category, count(DISTINCT m.memory_id)::int AS count FROM loom.namespace_category c
    LEFT JOIN loom.memory_category k ON k.org = c.org AND k.namespace = c.namespace AND k.category_key = c.category_key AND k.rescinded_at IS NULL
    LEFT JOIN loom.memory m ON m.memory_key = k.memory_key AND ${rows}
    WHERE c.org = ${org} AND c.namespace = ${namespace} AND ${startsWith(sql`c.category`, input.prefix)}
    GROUP BY c.category ORDER BY count DESC, c.category LIMIT ${input.limit}`.execute(db)
  return {
    tags: [
      ...used.map((row) => ({
        tag: row.tag,
        count: row.count,
        last_used_at: row.last.toISOString(),
        policy: policies.get(row.lower)?.policy ?? null,
      })),
      ...unused
        .map(([, { tag, policy }]) => ({ tag, count: 0, last_used_at: null, policy }))
        .sort((a, b) => (a.tag < b.tag ? -1 : 1))
        .slice(0, input.limit - used.length),
    ],
    entities: entities.map((row) => ({ entity: row.entity, count: row.count, last_used_at: row.last.toISOString() })),
    categories,
  }
})
