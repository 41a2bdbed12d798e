import { sql, type RawBuilder } from 'kysely'
import type { Input } from '../../contract/declare.ts'
import type { memoryApply } from '../../contract/ops/memory/apply.ts'
import { LoomError } from '../../contract/errors.ts'
import { memorySearch } from '../../contract/ops/memory/search.ts'
import { fold } from '../../domain/text/fold.ts'
import type { ReadContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import { headsById, type Head } from '../store/memories.ts'
import { vectorsOf } from '../write/embed.ts'
import { isLive } from '../write/state.ts'
import { scopeOf } from './search-scope.ts'

type Call = Input<typeof memoryApply>
type Target = Pick<Call, 'keys' | 'filter' | 'search' | 'limit'>

export interface Targets {
  /** Rows to change, in order, at most `limit`. */
  readonly heads: readonly Head[]
  readonly matched: number
  /** Keys named that no such row holds. */
  readonly missing: readonly string[]
}

/** Most rows of one call, and most hits of a search that are counted. */
const MOST = 1000

const lowered = (tags: readonly string[]): string[] => tags.map(fold)
const LOWER_TAGS = sql<string[]>`(SELECT coalesce(array_agg(lower(normalize(t))), '{}') FROM unnest(m.tags) AS t)`

/** Live rows of the agent (null: of any), of the user and session given, within what the token is bound to. */
function reach({ identity, given, caller, now }: ReadContext, agent: string | null): RawBuilder<boolean>[] {
  const narrow = { user_id: given.user_id, session_id: given.session_id, ...boundOf(caller) }
  return [
    sql<boolean>`m.org = ${identity.org}`,
    sql<boolean>`m.namespace = ${identity.namespace}`,
    sql<boolean>`m.erased_by = ''`,
    sql<boolean>`m.status IN ('active', 'conflicted', 'duplicate')`,
    sql<boolean>`NOT coalesce(m.valid_to <= ${now} OR (m.expires_at <= ${now} AND m.on_expire <> 'demote'), false)`,
    ...(agent === null ? [] : [sql<boolean>`m.agent = ${agent}`]),
    ...(narrow.user_id === undefined ? [] : [sql<boolean>`m.user_id = ${narrow.user_id}`]),
    ...(narrow.session_id === undefined ? [] : [sql<boolean>`m.session_id = ${narrow.session_id}`]),
  ]
}

async function byKeys(keys: readonly string[], agent: string | null, context: ReadContext): Promise<Targets> {
  const where = sql.join([...reach(context, agent), sql<boolean>`m.memory_key = any(${[...keys]}::text[])`], sql` AND `)
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m WHERE ${where} ORDER BY m.memory_id`.execute(context.db)
  const unique = [...new Set(keys)]
  const heads = unique.flatMap((key) => rows.filter((row) => row.memory_key === key))
  return { heads, matched: heads.length, missing: unique.filter((key) => !rows.some((row) => row.memory_key === key)) }
}

async function byFilter(filter: NonNullable<Call['filter']>, limit: number, agent: string | null, context: ReadContext): Promise<Targets> {
  const conditions = [
    ...reach(context, agent),
    ...(filter.tags_any ? [sql<boolean>`${LOWER_TAGS} && ${lowered(filter.tags_any)}::text[]`] : []),
    ...(filter.tags_all ? [sql<boolean>`${LOWER_TAGS} @> ${lowered(filter.tags_all)}::text[]`] : []),
    ...(filter.memory_type ? [sql<boolean>`m.memory_type = ${filter.memory_type}`] : []),
    ...(filter.key_prefix === undefined ? [] : [sql<boolean>`starts_with(m.memory_key, ${filter.key_prefix})`]),
    ...(filter.created_before ? [sql<boolean>`m.created_at < ${new Date(filter.created_before)}`] : []),
    ...(filter.created_after ? [sql<boolean>`m.created_at > ${new Date(filter.created_after)}`] : []),
    ...(filter.confidence_lte === undefined ? [] : [sql<boolean>`m.confidence <= ${filter.confidence_lte}`]),
    ...(filter.source_trace === undefined ? [] : [sql<boolean>`m.source_trace = ${filter.source_trace}`]),
  ]
  const where = sql.join(conditions, sql` AND `)
  const { rows } =
    await sql<Head>`SELECT m.* FROM loom.memory m WHERE ${where} ORDER BY m.updated_at DESC, m.memory_id LIMIT ${limit}`.execute(context.db)
  const { rows: counted } = await sql<{ total: number }>`SELECT count(*)::int AS total FROM loom.memory m WHERE ${where}`.execute(
    context.db,
  )
  return { heads: rows, matched: counted[0]?.total ?? 0, missing: [] }
}

/** What memory.search finds near the query, best first. */
async function bySearch(search: NonNullable<Call['search']>, limit: number, context: ReadContext): Promise<Targets> {
  const { identity, given, parts, now } = context
  if (search.query.trim() === '')
    throw new LoomError('INVALID_ARGUMENT', 'search.query is empty. Say what to look for.', { field: 'search.query' })
  const scope = await scopeOf(memorySearch.input.parse(search), { ...context, given: { ...given, agent: identity.agent } })
  const embedded = await vectorsOf([search.query], context)
  await parts.follower.catchUp(identity.org)
  const { hits } = parts.index.search({
    org: identity.org,
    namespaces: scope.searched,
    text: search.query,
    vector: embedded?.vectors[0] ?? null,
    mode: 'hybrid',
    accept: (doc) => scope.inScope(doc) && scope.passes(doc),
    limit: MOST + 1,
    keyMatch: parts.config.searchKeyMatch,
  })
  const near = hits.filter((hit) => hit.near)
  const ids = near.slice(0, limit).map((hit) => hit.memoryId)
  const heads = await headsById(context.db, identity.org, ids)
  return { heads: ids.flatMap((id) => heads.get(id) ?? []).filter((head) => isLive(head, now)), matched: near.length, missing: [] }
}

/**
 * The rows that a call targets.
 * @param agent whose rows; null: anybody's
 * @throws LoomError INVALID_ARGUMENT for no or two targets, an empty filter, or a filter or search without a limit.
 */
export async function targetsOf(input: Target, context: ReadContext, agent: string | null = context.identity.agent): Promise<Targets> {
  const refuse = (field: string, message: string): never => {
    throw new LoomError('INVALID_ARGUMENT', message, { field })
  }
  const named = [input.keys, input.filter, input.search].filter((target) => target !== undefined).length
  if (named !== 1) refuse('keys', 'Name keys, filter or search, one of them.')
  if (input.keys) return byKeys(input.keys, agent, context)
  const limit = input.limit ?? refuse('limit', 'limit is needed with filter and search: 1 to 1000.')
  if (input.search) return bySearch(input.search, limit, context)
  const filter = input.filter ?? {}
  if (Object.values(filter).every((field) => field === undefined)) refuse('filter', 'filter names no condition. Name at least one.')
  return byFilter(filter, limit, agent, context)
}
