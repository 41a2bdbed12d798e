import type { ShapeDefinition } from './columns.ts'
import { SHAPES, type ShapeName } from './definitions.ts'
import type { ShapeFilter } from './filters.ts'
import type { Bind } from './statement.ts'

/** How the rows of a shape are read: SQL in which the alias `t` is the shape's own table. */
export interface ServedShape extends ShapeDefinition {
  readonly name: string
  /** FROM item: the table as `t`, with what its filter needs joined. */
  readonly source: string
  /** Where a message's row belongs, for an erasure that looks for it in the logs. */
  readonly place: { readonly namespace: string; readonly user_id: string; readonly erasure_seq: string }
  /** The condition under which a filter's followers have a row. */
  visible(filter: ShapeFilter, bind: Bind): string
  /** The same over the shape's own columns alone, for Electric; null where it needs another table. */
  readonly electric: ((filter: ShapeFilter, bind: Bind) => string) | null
}

/** Orgs whose changes reach a follower of `org`: global patterns lie under `*`. */
export const orgsOf = (org: string): readonly string[] => [org, '*']

const all = (conditions: readonly string[]): string => conditions.join(' AND ')

function inNamespaces(column: string, filter: ShapeFilter, bind: Bind, more: readonly string[] = []): string[] {
  if (filter.namespaces === null) return []
  return [`${column} IN (${[...filter.namespaces, ...more].map(bind).join(', ')})`]
}

const ofOrg = (prefix: string, filter: ShapeFilter, bind: Bind): string => `${prefix}org = ${bind(filter.org)}`

/** A live row of memory (or one of its versions) that the filter reaches. */
function memoryRow(prefix: string, filter: ShapeFilter, bind: Bind): string[] {
  return [...inNamespaces(`${prefix}namespace`, filter, bind), ...bounds(prefix, filter, bind), `${prefix}erased_by = ''`]
}

/** Rows of the user and session that a token is bound to. */
function bounds(prefix: string, filter: ShapeFilter, bind: Bind): string[] {
  return [
    ...(filter.user_id === '' ? [] : [`${prefix}user_id = ${bind(filter.user_id)}`]),
    ...(filter.session_id === '' ? [] : [`${prefix}session_id = ${bind(filter.session_id)}`]),
  ]
}

type Predicate = (prefix: string, filter: ShapeFilter, bind: Bind) => string

const inReach: Predicate = (prefix, filter, bind) => all([ofOrg(prefix, filter, bind), ...inNamespaces(`${prefix}namespace`, filter, bind)])
const fences: Predicate = (prefix, filter, bind) =>
  all([ofOrg(prefix, filter, bind), ...inNamespaces(`${prefix}namespace`, filter, bind, ['*'])])
const rows: Predicate = (prefix, filter, bind) => all([ofOrg(prefix, filter, bind), ...memoryRow(prefix, filter, bind)])
const ofReader: Predicate = (prefix, filter, bind) => all([inReach(prefix, filter, bind), ...bounds(prefix, filter, bind)])
/** Documents are read of one's own user, and of everybody's. */
const readable: Predicate = (prefix, filter, bind) => {
  const near = [inReach(prefix, filter, bind), `${prefix}erased_by = ''`]
  const own = bounds(prefix, filter, bind)
  if (own.length === 0) return all(near)
  return all([...near, filter.user_id === '' ? all(own) : `((${all(own)}) OR ${prefix}user_id = '-')`])
}
const patterns: Predicate = (prefix, filter, bind) => {
  const near = inNamespaces(`${prefix}namespace`, filter, bind).map((condition) => `(${prefix}scope <> 'namespace' OR ${condition})`)
  return `((${all([ofOrg(prefix, filter, bind), ...near])}) OR (${prefix}org = '*' AND ${prefix}scope = 'global'))`
}

/** A shape whose filter reads its own columns alone. */
function plain(name: ShapeName, predicate: Predicate, place?: Partial<ServedShape['place']>): ServedShape {
  const shape = SHAPES[name]
  return {
    ...shape,
    name,
    source: `loom.${shape.relation[1]} t`,
    place: { namespace: 't.namespace', user_id: `''`, erasure_seq: '0', ...place },
    visible: (filter, bind) => predicate('t.', filter, bind),
    electric: (filter, bind) => predicate('', filter, bind),
  }
}

/** A shape that hangs on rows of memory: followers have it where they have each of them. */
function hanging(name: ShapeName, on: Readonly<Record<string, string>>): ServedShape {
  const shape = SHAPES[name]
  const [first = ''] = Object.keys(on)
  const joins = Object.entries(on).map(
    ([alias, column]) => `JOIN loom.memory ${alias} ON ${alias}.org = t.org AND ${alias}.memory_id = t.${column}`,
  )
  return {
    ...shape,
    name,
    source: [`loom.${shape.relation[1]} t`, ...joins].join(' '),
    place: { namespace: `${first}.namespace`, user_id: `${first}.user_id`, erasure_seq: 't.erasure_seq' },
    visible: (filter, bind) =>
      all([ofOrg('t.', filter, bind), ...Object.keys(on).flatMap((alias) => memoryRow(`${alias}.`, filter, bind))]),
    electric: null,
  }
}

/** A category belongs to a key, not to a row: a bound token has the links of keys that one of its rows holds. */
const categoryLinks: ServedShape = {
  ...plain('category_links', inReach, { erasure_seq: 't.erasure_seq' }),
  visible: (filter, bind) => {
    const near = inReach('t.', filter, bind)
    if (filter.user_id === '' && filter.session_id === '') return near
    return `${near} AND EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = t.org AND m.namespace = t.namespace
      AND m.memory_key = t.memory_key AND ${all(memoryRow('m.', filter, bind))})`
  },
  electric: null,
}

const ROW_PLACE = { user_id: 't.user_id', erasure_seq: 't.erasure_seq' }

export const SERVED: Readonly<Record<ShapeName, ServedShape>> = {
  erasures: plain('erasures', fences),
  namespaces: plain('namespaces', inReach),
  categories: plain('categories', inReach),
  schemas: plain('schemas', inReach),
  blacklist: plain('blacklist', patterns),
  memory: plain('memory', rows, ROW_PLACE),
  versions: plain('versions', rows, ROW_PLACE),
  links: hanging('links', { a: 'from_id', b: 'to_id' }),
  relations: hanging('relations', { a: 'memory_id' }),
  category_links: categoryLinks,
  evidence: hanging('evidence', { a: 'memory_id', b: 'source_id' }),
  reviews: hanging('reviews', { a: 'memory_id' }),
  shelf: plain('shelf', inReach, ROW_PLACE),
  documents: plain('documents', readable, ROW_PLACE),
  threads: plain('threads', ofReader, ROW_PLACE),
  messages: plain('messages', ofReader, ROW_PLACE),
  pairs: hanging('pairs', { a: 'row_id', b: 'peer_id' }),
  records: plain('records', ofReader, ROW_PLACE),
  runs: plain('runs', ofReader, ROW_PLACE),
}

/**
 * Rows of other shapes whose visibility hangs on a row of memory, by the shape: a statement that answers their keys for
 * the ids in $2 of the org in $1.
 */
export const DEPENDENTS: Readonly<Partial<Record<ShapeName, string>>> = {
  links: `SELECT t.org, t.from_id, t.to_id, t.relation FROM loom.memory_link t
    WHERE t.org = $1 AND (t.from_id = ANY($2::text[]) OR t.to_id = ANY($2::text[]))`,
  relations: `SELECT t.org, t.memory_id, t.position::text FROM loom.memory_relation t WHERE t.org = $1 AND t.memory_id = ANY($2::text[])`,
  evidence: `SELECT t.org, t.memory_id, t.version::text, t.source_id FROM loom.memory_summary t
    WHERE t.org = $1 AND (t.memory_id = ANY($2::text[]) OR t.source_id = ANY($2::text[]))`,
  reviews: `SELECT t.org, t.memory_id FROM loom.learning_review t WHERE t.org = $1 AND t.memory_id = ANY($2::text[])`,
  pairs: `SELECT t.org, t.pair_id FROM loom.memory_pair t
    WHERE t.org = $1 AND (t.row_id = ANY($2::text[]) OR t.peer_id = ANY($2::text[]))`,
  category_links: `SELECT DISTINCT t.org, t.namespace, t.memory_key, t.category_key FROM loom.memory_category t
    JOIN loom.memory m ON m.org = t.org AND m.namespace = t.namespace AND m.memory_key = t.memory_key
    WHERE m.org = $1 AND m.memory_id = ANY($2::text[])`,
}
