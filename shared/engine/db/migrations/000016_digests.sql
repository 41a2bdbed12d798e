-- Write-ups of what changed in a period. A digest names its memories and keeps no word of them: its text is made when it
-- is read, of what they then still say.
CREATE TABLE loom.memory_digest (
  org text NOT NULL,
  digest_id text NOT NULL,
  namespace text NOT NULL,
  user_id text NOT NULL,
  period text NOT NULL,
  period_start timestamptz NOT NULL,
  period_end timestamptz NOT NULL,
  memory_ids text[] NOT NULL DEFAULT '{}',
  written int8 NOT NULL DEFAULT 0,
  revised int8 NOT NULL DEFAULT 0,
  retired int8 NOT NULL DEFAULT 0,
  deleted int8 NOT NULL DEFAULT 0,
  model text NOT NULL DEFAULT '',
  at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, digest_id)
);
CREATE UNIQUE INDEX memory_digest_period ON loom.memory_digest (org, namespace, user_id, period, period_start);
CREATE INDEX memory_digest_names ON loom.memory_digest USING gin (memory_ids);
