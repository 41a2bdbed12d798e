-- What devices follow: which rows changed, the log of each shape that is followed, and the fences of erasures.

-- Names the row that changed and never holds it: what a follower gets is read from the table. The triggers that write
-- it are made by a server's start alone (shared/engine/shapes/triggers.ts); a desktop serves no shapes.
CREATE TABLE loom.change_log (
  org text NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq int8 NOT NULL GENERATED ALWAYS AS IDENTITY,
  relation text NOT NULL,
  -- i, u or d.
  op text NOT NULL,
  -- The columns of the key after the org, as text.
  row_key text[] NOT NULL,
  -- Names of the columns that an update changed, with commas.
  changed text NOT NULL DEFAULT '',
  namespace text NOT NULL DEFAULT '',
  user_id text NOT NULL DEFAULT '',
  erasure_seq int8 NOT NULL DEFAULT 0,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (org, xid, seq)
);

-- One shape under one filter, as followers know it. A handle is never used twice.
CREATE TABLE loom.shape_handle (
  org text NOT NULL,
  handle text NOT NULL,
  shape text NOT NULL,
  -- JSON, in one spelling.
  filter text NOT NULL,
  filter_sha256 text NOT NULL,
  columns_sha256 text NOT NULL,
  -- loom, or electric for a shape that the Electric service holds.
  served_by text NOT NULL DEFAULT 'loom',
  instance_id text NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  -- For one that Electric holds: its whole definition there, as a query, to delete it by.
  definition text NOT NULL DEFAULT '',
  -- What its snapshot saw: changes of these transactions are in it already.
  snapshot text NOT NULL DEFAULT '',
  -- Of its log.
  entries int8 NOT NULL DEFAULT 0,
  bytes int8 NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  read_at timestamptz NOT NULL,
  -- Set where the Electric service has still to be told that it is gone.
  gone_at timestamptz,
  PRIMARY KEY (org, handle)
);
CREATE UNIQUE INDEX shape_handle_live ON loom.shape_handle (org, shape, filter_sha256) WHERE gone_at IS NULL;

-- What a handle's followers are told, in order: its snapshot under tx 0, then a message for each row and transaction.
CREATE TABLE loom.shape_log (
  org text NOT NULL,
  handle text NOT NULL,
  tx int8 NOT NULL,
  op int8 NOT NULL,
  item int4 NOT NULL,
  -- i, u, d, or c for a control message.
  kind text NOT NULL,
  row_key text NOT NULL,
  body text NOT NULL,
  bytes int4 NOT NULL,
  namespace text NOT NULL DEFAULT '',
  user_id text NOT NULL DEFAULT '',
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, handle, tx, op, item)
);
-- Whether a follower holds a row: the last that it was told of it.
CREATE INDEX shape_log_row ON loom.shape_log (org, handle, row_key, tx, op);

-- How far the change log is fanned out, the last transaction of which something was dropped from it (who is not past that
-- reads the tables anew), and a number that grows whenever the handles of the org change.
ALTER TABLE loom.org
  ADD COLUMN shape_xid xid8 NOT NULL DEFAULT '0',
  ADD COLUMN change_floor xid8 NOT NULL DEFAULT '0',
  ADD COLUMN shape_epoch int8 NOT NULL DEFAULT 0;

-- Kept for good: what was erased stays erased on every device and in every backup.
CREATE TABLE loom.erasure_fence (
  org text NOT NULL,
  seq int8 NOT NULL,
  -- `*`: every namespace of the org.
  namespace text NOT NULL,
  erasure_id text NOT NULL,
  user_sha256 text NOT NULL DEFAULT '',
  collection text NOT NULL DEFAULT '',
  purge boolean NOT NULL,
  requested_at timestamptz NOT NULL,
  PRIMARY KEY (org, seq, namespace)
);

-- The pushed change and the device that a row and a version come from; empty for what was written here.
ALTER TABLE loom.memory
  ADD COLUMN change_id text NOT NULL DEFAULT '',
  ADD COLUMN device_id text NOT NULL DEFAULT '';
ALTER TABLE loom.memory_version
  ADD COLUMN change_id text NOT NULL DEFAULT '',
  ADD COLUMN device_id text NOT NULL DEFAULT '';
