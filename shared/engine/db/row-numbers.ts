/** Tables whose number is not that of the moment a row was made. */
const OTHERS = ['org', 'device', 'shape_handle', 'change_log', 'shape_log', 'sync_state', 'erasure_fence']

/**
 * Has every row carry the org's erasure number of the moment it was made, as its transaction was told it: whichever
 * migration brought a table with the column, a row that names none gets it. Safe to repeat.
 */
export const STAMP_ROWS = `DO $stamp$
DECLARE name text;
BEGIN
  FOR name IN SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'loom' AND c.column_name = 'erasure_seq' AND t.table_type = 'BASE TABLE'
      AND c.table_name NOT IN (${OTHERS.map((table) => `'${table}'`).join(', ')})
      AND c.column_default IS DISTINCT FROM 'loom.erasure_number()'
  LOOP
    EXECUTE format('ALTER TABLE loom.%I ALTER COLUMN erasure_seq SET DEFAULT loom.erasure_number()', name);
  END LOOP;
END $stamp$`
