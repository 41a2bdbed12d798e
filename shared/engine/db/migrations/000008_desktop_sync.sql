-- The desktop side of team sync: what waits to be pushed, what the server said, how far each shape is applied.

-- The connection of an org, and the fences applied. One server for each desktop.
CREATE TABLE loom.sync_state (
  org text PRIMARY KEY,
  server_url text NOT NULL,
  server_id text NOT NULL,
  server_version text NOT NULL DEFAULT '',
  judge_version text NOT NULL DEFAULT '',
  device_id text NOT NULL,
  -- As the team sees it.
  device_name text NOT NULL DEFAULT '',
  -- Claims of the device token, as the server last told them.
  claims jsonb NOT NULL,
  -- Namespace of calls that name none; empty: the install's own.
  use_namespace text NOT NULL DEFAULT '',
  revoked boolean NOT NULL DEFAULT false,
  erasure_seq int8 NOT NULL DEFAULT 0,
  connected_at timestamptz NOT NULL,
  last_push_at timestamptz,
  last_pull_at timestamptz
);

-- A change that the server has not answered, or (quarantined) could not run.
CREATE TABLE loom.sync_outbox (
  org text NOT NULL,
  change_id text NOT NULL,
  seq int8 NOT NULL GENERATED ALWAYS AS IDENTITY,
  state text NOT NULL DEFAULT 'queued',
  op text NOT NULL,
  via text NOT NULL DEFAULT '',
  -- JSON, as it is pushed.
  args text NOT NULL,
  namespace text NOT NULL,
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  memory_key text NOT NULL,
  memory_id text NOT NULL,
  base_version int8,
  base_change_id text NOT NULL DEFAULT '',
  recorded_at timestamptz NOT NULL,
  local_version int8,
  conflict_verdict text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT '',
  source_class text NOT NULL DEFAULT '',
  erasure_seq int8 NOT NULL,
  -- The row's value after it, as JSON.
  value text,
  bytes int NOT NULL,
  -- The transaction that made it, as its versions name it until the answer.
  made_in text NOT NULL,
  -- Rows that it holds in place: relation and key, parted by U+001E.
  holds text[] NOT NULL DEFAULT '{}',
  -- INTERNAL answers in a row.
  failures int NOT NULL DEFAULT 0,
  PRIMARY KEY (org, change_id)
);
CREATE INDEX sync_outbox_order ON loom.sync_outbox (org, state, seq);

-- The server's row under what was changed here, kept by triggers that stand while a server is connected.
CREATE TABLE loom.sync_base (
  org text NOT NULL,
  relation text NOT NULL,
  -- Columns of the key after the org, parted by U+001F.
  row_key text NOT NULL,
  -- Null: the server has none, as far as is known here.
  "row" jsonb,
  -- The last change of this row itself that waits for its answer.
  last_change text NOT NULL DEFAULT '',
  -- Changes that hold the local row in place.
  held text[] NOT NULL DEFAULT '{}',
  -- The last transaction that touched it.
  touched xid8 NOT NULL,
  PRIMARY KEY (org, relation, row_key)
);
CREATE INDEX sync_base_touched ON loom.sync_base (org, touched);

CREATE TABLE loom.sync_inbox (
  org text NOT NULL,
  item_id text NOT NULL,
  change text NOT NULL,
  change_id text NOT NULL DEFAULT '',
  op text NOT NULL DEFAULT '',
  args text NOT NULL DEFAULT '',
  namespace text NOT NULL DEFAULT '',
  agent text NOT NULL DEFAULT '',
  user_id text NOT NULL DEFAULT '',
  session_id text NOT NULL DEFAULT '',
  memory_key text NOT NULL DEFAULT '',
  memory_id text NOT NULL DEFAULT '',
  -- JSON, as sync.inbox shows it.
  mine text NOT NULL,
  server text,
  code text NOT NULL DEFAULT '',
  message text NOT NULL DEFAULT '',
  peer_ids text[] NOT NULL DEFAULT '{}',
  choices text[] NOT NULL,
  created_at timestamptz NOT NULL,
  closed_at timestamptz,
  closed_by text NOT NULL DEFAULT '',
  PRIMARY KEY (org, item_id)
);
CREATE INDEX sync_inbox_open ON loom.sync_inbox (org, created_at DESC, item_id DESC);

-- How far a shape is applied; while it is fetched anew, how far the new snapshot is gathered.
CREATE TABLE loom.shape_state (
  org text NOT NULL,
  shape text NOT NULL,
  handle text NOT NULL DEFAULT '',
  shape_offset text NOT NULL DEFAULT '-1',
  up_to_date boolean NOT NULL DEFAULT false,
  -- Rows are gathered in shape_staging, and swapped in when they are whole.
  staging boolean NOT NULL DEFAULT false,
  PRIMARY KEY (org, shape)
);
CREATE TABLE loom.shape_staging (
  org text NOT NULL,
  shape text NOT NULL,
  row_key text NOT NULL,
  -- Columns as text.
  "row" jsonb NOT NULL,
  PRIMARY KEY (org, shape, row_key)
);
