-- What hangs on rows and keys besides their versions: links, categories, outcomes, sources, other ids.

-- One link for each pair of rows and relation; hidden while an end is not live.
CREATE TABLE loom.memory_link (
  org text NOT NULL,
  namespace text NOT NULL,
  from_id text NOT NULL,
  to_id text NOT NULL,
  relation text NOT NULL,
  note text NOT NULL DEFAULT '',
  actor text NOT NULL,
  at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, from_id, to_id, relation)
);
CREATE INDEX memory_link_to ON loom.memory_link (org, to_id);

-- Names of categories. `category_key` is the name in lower case: names are matched without case.
CREATE TABLE loom.namespace_category (
  org text NOT NULL,
  namespace text NOT NULL,
  category_key text NOT NULL,
  category text NOT NULL,
  description text NOT NULL DEFAULT '',
  retired boolean NOT NULL DEFAULT false,
  actor text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org, namespace, category_key)
);

-- Link of a key to a category: of no user and no session. A rescinded one stays, so that an import does not revive it.
CREATE TABLE loom.memory_category (
  org text NOT NULL,
  namespace text NOT NULL,
  memory_key text NOT NULL,
  category_key text NOT NULL,
  actor text NOT NULL,
  at timestamptz NOT NULL,
  rescinded_at timestamptz,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, namespace, memory_key, category_key)
);
CREATE INDEX memory_category_name ON loom.memory_category (org, namespace, category_key) WHERE rescinded_at IS NULL;

-- One outcome told by a run, which counts once per row.
CREATE TABLE loom.memory_outcome (
  org text NOT NULL,
  memory_id text NOT NULL,
  run_id text NOT NULL,
  outcome text NOT NULL,
  weight int NOT NULL,
  note text NOT NULL DEFAULT '',
  actor text NOT NULL,
  at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, memory_id, run_id)
);
-- Negative outcomes since the last positive one, each counted once whatever its weight.
ALTER TABLE loom.memory_usage ADD COLUMN negative_streak int8 NOT NULL DEFAULT 0;

-- One source of a version of a summary or profile row (`derived_from`).
CREATE TABLE loom.memory_summary (
  org text NOT NULL,
  memory_id text NOT NULL,
  version int8 NOT NULL,
  source_id text NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, memory_id, version, source_id)
);
CREATE INDEX memory_summary_source ON loom.memory_summary (org, source_id);

-- Another memory_id of a row.
CREATE TABLE loom.memory_alias (
  org text NOT NULL,
  alias_id text NOT NULL,
  memory_id text NOT NULL,
  at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, alias_id)
);
CREATE INDEX memory_alias_row ON loom.memory_alias (org, memory_id);

-- Redirects and duplicates are pointed anew when the key that they lead to moves.
CREATE INDEX memory_canonical_key ON loom.memory (org, namespace, canonical_key) WHERE canonical_key <> '';
