-- Shared copies of rows (memory.promote), which tokens bounded to a user or session read.

CREATE TABLE loom.memory_shelf (
  org text NOT NULL,
  -- Whose shelf it lies on: another than the row's after memory.cross_promote.
  namespace text NOT NULL,
  memory_key text NOT NULL,
  from_namespace text NOT NULL,
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  memory_id text NOT NULL,
  version int8 NOT NULL,
  value text NOT NULL,
  content_sha256 text NOT NULL,
  memory_type text NOT NULL,
  sensitivity text NOT NULL DEFAULT '',
  tags text[] NOT NULL DEFAULT '{}',
  entities text[] NOT NULL DEFAULT '{}',
  note text NOT NULL DEFAULT '',
  actor text NOT NULL,
  at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, namespace, memory_key)
);
CREATE INDEX memory_shelf_row ON loom.memory_shelf (org, memory_id);

-- A shared copy leaves with its row, whichever write, pass, sync or erasure takes it.
CREATE FUNCTION loom.leave_shelf() RETURNS trigger LANGUAGE plpgsql AS $leave$
BEGIN
  DELETE FROM loom.memory_shelf WHERE org = OLD.org AND memory_id = OLD.memory_id;
  RETURN NULL;
END $leave$;
CREATE TRIGGER leave_shelf AFTER UPDATE ON loom.memory FOR EACH ROW
  WHEN ((NEW.status IN ('tombstoned', 'rejected') AND OLD.status <> NEW.status) OR (NEW.erased_by <> '' AND OLD.erased_by = '')
    OR (NEW.redacted AND NOT OLD.redacted)
    -- "[anonymized]", which an expiry leaves in place of the value.
    OR (NEW.content_sha256 <> OLD.content_sha256 AND NEW.content_sha256 = '15cea405f6f46489e739fce009b55dd8c80bb82b63367c31b9b6c0bd21723a7a'))
  EXECUTE FUNCTION loom.leave_shelf();
CREATE TRIGGER leave_shelf_gone AFTER DELETE ON loom.memory FOR EACH ROW EXECUTE FUNCTION loom.leave_shelf();

-- With the version that it is a copy of, where that is scrubbed.
CREATE FUNCTION loom.leave_shelf_scrubbed() RETURNS trigger LANGUAGE plpgsql AS $leave$
BEGIN
  DELETE FROM loom.memory_shelf WHERE org = OLD.org AND memory_id = OLD.memory_id AND version = OLD.version;
  RETURN NULL;
END $leave$;
CREATE TRIGGER leave_shelf AFTER UPDATE ON loom.memory_version FOR EACH ROW WHEN (NEW.redacted AND NOT OLD.redacted)
  EXECUTE FUNCTION loom.leave_shelf_scrubbed();
