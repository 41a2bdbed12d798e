-- Typed records: schemas, versions of records, and their heads.

CREATE TABLE loom.memory_schema (
  org text NOT NULL,
  namespace text NOT NULL,
  schema text NOT NULL,
  version int NOT NULL,
  -- active, proposed, rejected, superseded
  status text NOT NULL,
  description text NOT NULL DEFAULT '',
  -- JSON: list of fields
  fields text NOT NULL,
  created_at timestamptz NOT NULL,
  actor text NOT NULL,
  decided_at timestamptz,
  decided_by text NOT NULL DEFAULT '',
  reason text NOT NULL DEFAULT '',
  PRIMARY KEY (org, namespace, schema, version)
);

-- Append-only. A version is superseded when a later one of its record exists; no row says so.
CREATE TABLE loom.memory_record_version (
  org text NOT NULL,
  namespace text NOT NULL,
  schema text NOT NULL,
  user_id text NOT NULL,
  record_key text NOT NULL,
  -- Made of the five above: every host has the same.
  record_id text NOT NULL,
  version int8 NOT NULL,
  schema_version int NOT NULL,
  -- JSON: every field of the schema with its state
  fields text NOT NULL,
  -- What predicates read: known values, folded texts that differ from theirs, states that are no value.
  vals jsonb NOT NULL,
  folds jsonb NOT NULL,
  states jsonb NOT NULL,
  -- Fields that differ from the version before; of a first one those that it states.
  changed text[] NOT NULL,
  content_sha256 text NOT NULL,
  key_source text NOT NULL,
  tombstoned boolean NOT NULL DEFAULT false,
  agent text NOT NULL,
  session_id text NOT NULL,
  run_id text NOT NULL DEFAULT '',
  actor text NOT NULL,
  source_class text NOT NULL,
  source_trace text NOT NULL DEFAULT '',
  source_resource_id text NOT NULL DEFAULT '',
  reason text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  first_created_at timestamptz NOT NULL,
  provisional boolean NOT NULL DEFAULT false,
  erasure_seq int8 NOT NULL DEFAULT 0,
  change_id text NOT NULL DEFAULT '',
  device_id text NOT NULL DEFAULT '',
  PRIMARY KEY (org, record_id, version)
);
CREATE INDEX memory_record_version_schema ON loom.memory_record_version (org, namespace, schema, version);
CREATE INDEX memory_record_version_user ON loom.memory_record_version (org, user_id);

-- The latest version of each record, whole: what is asked most reads one narrow range.
CREATE TABLE loom.memory_record (
  org text NOT NULL,
  namespace text NOT NULL,
  schema text NOT NULL,
  user_id text NOT NULL,
  record_key text NOT NULL,
  record_id text NOT NULL,
  version int8 NOT NULL,
  schema_version int NOT NULL,
  fields text NOT NULL,
  vals jsonb NOT NULL,
  folds jsonb NOT NULL,
  states jsonb NOT NULL,
  content_sha256 text NOT NULL,
  key_source text NOT NULL,
  tombstoned boolean NOT NULL,
  agent text NOT NULL,
  session_id text NOT NULL,
  run_id text NOT NULL,
  actor text NOT NULL,
  source_class text NOT NULL,
  source_trace text NOT NULL,
  source_resource_id text NOT NULL,
  reason text NOT NULL,
  created_at timestamptz NOT NULL,
  first_created_at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL,
  PRIMARY KEY (org, record_id)
);
CREATE INDEX memory_record_schema ON loom.memory_record (org, namespace, schema, created_at DESC);
CREATE INDEX memory_record_key ON loom.memory_record (org, namespace, schema, record_key);
CREATE INDEX memory_record_user ON loom.memory_record (org, user_id);
