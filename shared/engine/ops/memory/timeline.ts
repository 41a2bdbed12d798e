import { sql, type RawBuilder } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { memoryTimeline as contract } from '../../../contract/ops/memory/timeline.ts'
import { fold } from '../../../domain/text/fold.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { inSelector, unexpired, untagged } from '../../read/rows-in-scope.ts'
import { toldVersions, type ToldVersion } from '../../read/told-versions.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { iso } from '../../store/row-view.ts'
import { hiddenTags } from '../../write/sensitivity.ts'

type Call = Input<typeof contract>
type Shown = Output<typeof contract>['rows'][number]

/** Rows whose head a timeline shows, by status, expiry, sensitivity and hidden tags. */
async function shownHeads(input: Call, context: ReadContext): Promise<RawBuilder<unknown>> {
  const { db, identity, now, parts } = context
  const settings = await parts.settings.get(db, identity.org, identity.namespace)
  const named = new Set((input.tags ?? []).map(fold))
  const hidden = new Set([...hiddenTags(settings)].filter((tag) => !named.has(tag)))
  const statuses = [
    'active',
    ...(settings.default_conflict_policy === 'keep_existing' ? [] : ['conflicted']),
    ...(input.include_superseded ? ['superseded'] : []),
  ]
  const prefix = input.key_prefix === '' ? sql`true` : sql`starts_with(m.memory_key, ${input.key_prefix})`
  return sql`${inSelector(context)} AND m.status = any(${statuses}::text[]) AND ${input.include_expired ? sql`true` : unexpired(now)} AND m.sensitivity <> 'high' AND ${untagged(hidden)} AND ${prefix}`
}

function filtersOf(input: Call): RawBuilder<unknown>[] {
  return [
    ...(input.entity === '' ? [] : [sql`${fold(input.entity)} = any(CASE WHEN t.is_head_claim THEN t.head_entities ELSE t.entities END)`]),
    ...(input.tags?.length
      ? [sql`EXISTS (SELECT 1 FROM unnest(t.tags) AS x WHERE lower(normalize(x)) = any(${input.tags.map(fold)}::text[]))`]
      : []),
    ...(input.memory_type?.length ? [sql`t.memory_type = any(${[...input.memory_type]}::text[])`] : []),
    ...(input.from ? [sql`t.at >= ${new Date(input.from)}`] : []),
    ...(input.to ? [sql`t.at < ${new Date(input.to)}`] : []),
  ]
}

function viewOf(row: ToldVersion): Shown {
  const superseded = row.is_head_claim && row.head_status === 'superseded'
  return {
    at: row.at.toISOString(),
    at_source: row.valid_at === null ? 'created_at' : 'valid_at',
    memory_key: row.memory_key,
    memory_id: row.memory_id,
    excerpt: row.excerpt,
    memory_type: row.memory_type as Shown['memory_type'],
    status: (row.is_head_claim ? row.head_status : row.status) as Shown['status'],
    valid_at: iso(row.valid_at),
    valid_to: iso(row.valid_to),
    created_at: row.created_at.toISOString(),
    superseded_by: superseded ? row.head_superseded_by : '',
    agent: row.agent,
    user_id: row.user_id,
    tags: row.tags,
    entities: row.entities,
    actor: row.actor,
    version: row.version,
    version_text: row.version.toString(),
    known_from: row.known_from.toISOString(),
    known_until: iso(row.known_until),
    true_from: row.true_from.toISOString(),
    true_until: iso(row.true_until),
    held_until: iso(row.held_until),
  }
}

/** Every version that said something, in the order in which it became true, with the time in which it was held. */
export const memoryTimeline = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { cursor, limit } = input
  const list = listName(contract.name, context.identity.namespace, input)
  const place = readPlace(list, cursor, ['time', 'version', 'text'])
  const beyond = sql.raw(input.order === 'desc' ? '<' : '>')
  const after = place ? [sql`(t.at, t.version, t.memory_id) ${beyond} (${place[0]}::timestamptz, ${place[1]}::int8, ${place[2]})`] : []
  const rows = await toldVersions(context.db, context.parts.host, {
    heads: await shownHeads(input, context),
    versions: sql.join([sql`true`, ...filtersOf(input), ...after], sql` AND `),
    order: input.order,
    limit: limit + 1,
  })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    rows: shown.map(viewOf),
    next_cursor: rows.length > limit && last ? writeCursor(list, [last.at.toISOString(), last.version.toString(), last.memory_id]) : null,
  }
})
