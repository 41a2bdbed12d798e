import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Tx } from '../../db/database.ts'
import { quoteText } from '../../shapes/statement.ts'

/**
 * Triggers that keep the server's row beside what is changed here, whatever operation or background pass does it. They
 * stand only while a server is connected, and see only its org; the applier turns them off for its own transaction.
 */

/** Tables whose rows come from the server, with the columns of their keys after the org. */
export const CAPTURED: Readonly<Record<string, readonly string[]>> = {
  memory: ['memory_id'],
  memory_version: ['memory_id', 'version'],
  memory_pair: ['pair_id'],
  memory_link: ['from_id', 'to_id', 'relation'],
  memory_relation: ['memory_id', 'position'],
  memory_category: ['namespace', 'memory_key', 'category_key'],
  memory_summary: ['memory_id', 'version', 'source_id'],
  learning_review: ['memory_id'],
  memory_shelf: ['namespace', 'memory_key'],
  memory_record_version: ['record_id', 'version'],
  memory_schema: ['namespace', 'schema', 'version'],
  blacklist: ['blacklist_id'],
  knowledge_document: ['document_id'],
  conversation_thread: ['namespace', 'thread_id', 'user_id'],
  conversation_message: ['namespace', 'thread_id', 'user_id', 'message_id'],
  run: ['namespace', 'run_id'],
}

/** What a host counts by itself: a row that changed in nothing else is as the server has it. */
const COUNTED: Readonly<Record<string, readonly string[]>> = { run: ['events', 'last_seq', 'last_event_at'] }
/** Rows that their host alone has, by a condition on `row`. */
const HOST_OWN: Readonly<Record<string, (row: 'NEW' | 'OLD') => string>> = { run: (row) => `${row}.implicit OR ` }

/** Tables whose rows say that the server has not answered them yet. */
const MARKED = ['memory', 'memory_version', 'memory_record_version']

/** Parts a table from the key of its row. */
export const RELATION_PART = '\u001e'
/** Parts the columns of a row's key. */
export const KEY_PART = '\u001f'

/** The key of a row as text, from `row` NEW or OLD. */
const keyOf = (table: string, row: 'NEW' | 'OLD'): string =>
  (CAPTURED[table] ?? []).map((column) => `${row}.${column}::text`).join(' || chr(31) || ')

/** A function for each table: what is known when it is made is not looked up for each row. */
function keepSql(table: string, org: string): string {
  const note = (row: 'NEW' | 'OLD', was: string): string => `INSERT INTO loom.sync_base AS b (org, relation, row_key, "row", touched)
      VALUES (${quoteText(org)}, ${quoteText(table)}, ${keyOf(table, row)}, ${was}, pg_current_xact_id())
      ON CONFLICT (org, relation, row_key) DO UPDATE SET touched = excluded.touched;`
  // A version that the server never had has nothing under it; a new one is provisional until it is answered.
  const own = (row: 'NEW' | 'OLD'): string =>
    table === 'memory_version' && row === 'OLD' ? 'OLD.provisional OR ' : (HOST_OWN[table]?.(row) ?? '')
  const counted = COUNTED[table]?.map(quoteText).join(', ')
  const isSame =
    counted === undefined ? 'OLD IS NOT DISTINCT FROM NEW' : `to_jsonb(OLD) - ARRAY[${counted}] = to_jsonb(NEW) - ARRAY[${counted}]`
  const events = table === 'memory_version' ? 'UPDATE OR DELETE' : 'INSERT OR UPDATE OR DELETE'
  return `CREATE OR REPLACE FUNCTION loom.keep_${table}() RETURNS trigger LANGUAGE plpgsql AS $keep$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF ${own('NEW')}NEW.org <> ${quoteText(org)} OR current_setting('loom.applying', true) = 'on' THEN RETURN NULL; END IF;
    ${note('NEW', 'NULL')}
  ELSE
    IF ${own('OLD')}OLD.org <> ${quoteText(org)} OR current_setting('loom.applying', true) = 'on' THEN RETURN NULL; END IF;
    IF TG_OP = 'UPDATE' AND ${isSame} THEN RETURN NULL; END IF;
    ${note('OLD', 'to_jsonb(OLD)')}
  END IF;
  RETURN NULL;
END $keep$;
CREATE TRIGGER keep_base AFTER ${events} ON loom.${table} FOR EACH ROW EXECUTE FUNCTION loom.keep_${table}();`
}

/** Until the answer is here, what a write made is known by its transaction. */
export const MADE_IN = `'tx:' || pg_current_xact_id()::text`

function markSql(table: string, org: string): string {
  const isNew = table === 'memory' ? `(TG_OP = 'INSERT' OR OLD.version <> NEW.version)` : 'true'
  return `CREATE OR REPLACE FUNCTION loom.mark_${table}() RETURNS trigger LANGUAGE plpgsql AS $mark$
BEGIN
  IF NEW.org = ${quoteText(org)} AND current_setting('loom.applying', true) IS DISTINCT FROM 'on' AND ${isNew} THEN
    NEW.provisional := true;
    NEW.change_id := ${MADE_IN};
    NEW.device_id := '';
  END IF;
  RETURN NEW;
END $mark$;
CREATE TRIGGER mark_provisional BEFORE INSERT${table === 'memory' ? ' OR UPDATE' : ''} ON loom.${table} FOR EACH ROW EXECUTE FUNCTION loom.mark_${table}();`
}

/** A trigger and its function; its comment says what both were made of. */
interface Trigger {
  readonly table: string
  readonly name: 'keep_base' | 'mark_provisional'
  readonly sql: string
  readonly digest: string
}

function triggersOf(org: string): Trigger[] {
  const made = (table: string, name: Trigger['name'], text: string): Trigger => {
    const digest = createHash('sha256').update(text).digest('hex')
    return { table, name, sql: `${text}\nCOMMENT ON TRIGGER ${name} ON loom.${table} IS '${digest}';`, digest }
  }
  return [
    ...Object.keys(CAPTURED).map((table) => made(table, 'keep_base', keepSql(table, org))),
    ...MARKED.map((table) => made(table, 'mark_provisional', markSql(table, org))),
  ]
}

/** Stands the triggers up for an org, in place of those that may stand. */
export async function startCapture(tx: Tx, org: string): Promise<void> {
  await stopCapture(tx)
  await sql
    .raw(
      triggersOf(org)
        .map((trigger) => trigger.sql)
        .join('\n'),
    )
    .execute(tx)
}

/**
 * Sees to it that the triggers are those of this release: a desktop that joined before an update has none on the tables that
 * came with it. To be done before the first write.
 */
export async function renewCapture(database: Pick<Database, 'reader' | 'transaction'>, org: string): Promise<void> {
  const { rows } = await sql<{
    trigger: string
  }>`SELECT concat_ws(' ', c.relname, t.tgname, obj_description(t.oid, 'pg_trigger')) AS trigger
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'loom'::regnamespace AND t.tgname IN ('keep_base', 'mark_provisional')`.execute(database.reader)
  const stand = new Set(rows.map((row) => row.trigger))
  if (triggersOf(org).every(({ table, name, digest }) => stand.has(`${table} ${name} ${digest}`))) return
  await database.transaction((tx) => startCapture(tx, org))
}

export async function stopCapture(tx: Tx): Promise<void> {
  const drops = Object.keys(CAPTURED).map((table) => `DROP TRIGGER IF EXISTS keep_base ON loom.${table};`)
  const marks = MARKED.map((table) => `DROP TRIGGER IF EXISTS mark_provisional ON loom.${table};`)
  await sql.raw([...drops, ...marks].join('\n')).execute(tx)
}

/** From here to the end of the transaction (or to `off`) changes are the server's, and leave no base. */
export async function setApplying(tx: Tx, on: boolean): Promise<void> {
  await sql`SELECT set_config('loom.applying', ${on ? 'on' : 'off'}, true)`.execute(tx)
}
