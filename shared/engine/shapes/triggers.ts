import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { ShapeDefinition } from './columns.ts'
import { SHAPES, type ShapeName } from './definitions.ts'
import { rotateAll } from './handles.ts'
import { quoteName, quoteText } from './statement.ts'

/** What a table's triggers note. */
export interface Watched {
  readonly relation: readonly [schema: string, table: string]
  /** Columns of the key after the org. */
  readonly key: readonly string[]
  /** Columns whose change is told; any other change is not. */
  readonly columns: readonly string[]
  /** Columns whose change is told with that of another, and by itself is not. */
  readonly quiet: readonly string[]
  /** Expressions over the row `r`. */
  readonly org: string
  readonly namespace: string
  readonly user_id: string
  readonly erasure_seq: string
}

/** Columns that no follower gets and that decide who has the row. */
const DECIDING: Partial<Record<ShapeName, readonly string[]>> = {
  memory: ['erased_by'],
  versions: ['erased_by'],
  documents: ['erased_by'],
  evidence: ['erased_by'],
}

/** What every request of an agent counts up. */
const QUIET: Partial<Record<ShapeName, readonly string[]>> = { runs: ['events', 'last_event_at'] }

function watchedOf(name: ShapeName): Watched {
  const { relation, columns, key }: ShapeDefinition = SHAPES[name]
  const names = columns.map((column) => column.name)
  const quiet = QUIET[name] ?? []
  const has = (column: string, otherwise: string): string => (names.includes(column) ? `r.${column}` : otherwise)
  return {
    relation,
    key: key.filter((column) => column !== 'org'),
    columns: [...names.filter((column) => !quiet.includes(column)), ...(DECIDING[name] ?? [])],
    quiet,
    org: 'r.org',
    namespace: has('namespace', `''`),
    user_id: has('user_id', `''`),
    erasure_seq: has('erasure_seq', '0'),
  }
}

export const WATCHED: readonly Watched[] = (Object.keys(SHAPES) as ShapeName[]).map(watchedOf)

/**
 * The function and trigger that note a table's changes. One trigger for all three events: plpgsql plans only the branch
 * that runs, and an insert takes the shortest one.
 */
export function triggerSql(watched: Watched): string {
  const [schema, table] = watched.relation
  const name = quoteName(`log_${table}`)
  const on = `${quoteName(schema)}.${quoteName(table)}`
  const of = (expression: string, row: 'NEW' | 'OLD'): string => expression.replace(/^r\./, `${row}.`)
  const keyOf = (row: 'NEW' | 'OLD'): string => `ARRAY[${watched.key.map((column) => `${row}.${quoteName(column)}::text`).join(', ')}]`
  const note = (row: 'NEW' | 'OLD', op: string, changed = `''`): string =>
    `INSERT INTO loom.change_log (org, relation, op, row_key, changed, namespace, user_id, erasure_seq) VALUES (${[
      of(watched.org, row),
      quoteText(table),
      op,
      keyOf(row),
      changed,
      ...[watched.namespace, watched.user_id, watched.erasure_seq].map((part) => of(part, row)),
    ].join(', ')});`
  const changed = watched.columns
    .map((column) => `CASE WHEN NEW.${quoteName(column)} IS DISTINCT FROM OLD.${quoteName(column)} THEN ${quoteText(column)} END`)
    .join(', ')
  // They may have changed in an earlier statement.
  const more = watched.quiet.length === 0 ? '' : `\n    changes := concat_ws(',', changes, ${watched.quiet.map(quoteText).join(', ')});`
  return `CREATE OR REPLACE FUNCTION loom.${name}() RETURNS trigger LANGUAGE plpgsql AS $log$
DECLARE changes text;
BEGIN
  IF TG_OP = 'INSERT' THEN
    ${note('NEW', `'i'`)}
  ELSIF TG_OP = 'DELETE' THEN
    ${note('OLD', `'d'`)}
  ELSE
    changes := concat_ws(',', ${changed});
    IF changes = '' THEN RETURN NULL; END IF;${more}
    IF ${keyOf('NEW')} = ${keyOf('OLD')} AND ${of(watched.org, 'NEW')} = ${of(watched.org, 'OLD')} THEN
      ${note('NEW', `'u'`, 'changes')}
    ELSE
      ${note('OLD', `'d'`)}
      ${note('NEW', `'i'`)}
    END IF;
  END IF;
  RETURN NULL;
END $log$;
DROP TRIGGER IF EXISTS change_log ON ${on};
CREATE TRIGGER change_log AFTER INSERT OR UPDATE OR DELETE ON ${on} FOR EACH ROW EXECUTE FUNCTION loom.${name}();`
}

/**
 * Of two rows of one key a device keeps the one of the greater `rev`: it grows with every change on a server, whoever
 * makes it. Most statements raise it themselves, and cost nothing more.
 */
const RAISE_REV = `CREATE OR REPLACE FUNCTION loom.raise_rev() RETURNS trigger LANGUAGE plpgsql AS $rev$
BEGIN
  NEW.rev := OLD.rev + 1;
  RETURN NEW;
END $rev$;
DROP TRIGGER IF EXISTS raise_rev ON loom.memory;
CREATE TRIGGER raise_rev BEFORE UPDATE ON loom.memory FOR EACH ROW WHEN (NEW.rev <= OLD.rev) EXECUTE FUNCTION loom.raise_rev();`

const TRIGGERS = [...WATCHED.map(triggerSql), RAISE_REV].join('\n')
const MARK = `triggers ${createHash('sha256').update(TRIGGERS).digest('hex').slice(0, 16)}`

/** Any number; the same in every process, so that two starters take turns. */
const TRIGGER_LOCK = 7_208_133n

/**
 * Has the tables that shapes are made of note their changes. A server's start calls it, a desktop never: it serves no
 * shapes, and its writes stay as cheap as they were. What is there already is left alone; where it was not, changes may
 * have gone unseen, so every handle rotates.
 */
export async function watchTables(database: Database): Promise<void> {
  if (await isWatched(database)) return
  await database.transaction(async (tx) => {
    if (database.kind === 'postgres') await sql`SELECT pg_advisory_xact_lock(${TRIGGER_LOCK})`.execute(tx)
    await sql.raw(TRIGGERS).execute(tx)
    await sql.raw(`COMMENT ON TABLE loom.change_log IS ${quoteText(MARK)}`).execute(tx)
    await rotateAll(tx)
  })
}

async function isWatched(database: Database): Promise<boolean> {
  const { rows } = await sql<{ watched: boolean }>`SELECT obj_description('loom.change_log'::regclass) = ${MARK}
    AND (SELECT count(*) FROM pg_trigger WHERE tgname = 'change_log' AND NOT tgisinternal AND tgenabled = 'O') >= ${WATCHED.length} AS watched`.execute(
    database.reader,
  )
  return rows[0]?.watched ?? false
}
