-- Written for Postgres 15 and later with pgvector 0.7 and later; PGlite runs the same file.
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE loom.instance (
  instance_id text PRIMARY KEY,
  created_at timestamptz NOT NULL
);

CREATE TABLE loom.org (
  org text PRIMARY KEY,
  erasure_seq int8 NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL
);

CREATE TABLE loom.namespace (
  org text NOT NULL,
  namespace text NOT NULL,
  registered boolean NOT NULL DEFAULT false,
  settings jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org, namespace)
);

-- Head of each identity and key.
CREATE TABLE loom.memory (
  org text NOT NULL,
  namespace text NOT NULL,
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  memory_key text NOT NULL,
  memory_id text NOT NULL,
  version int8 NOT NULL,
  -- Compact JSON with sorted members. Text, not jsonb: every digit of a number stays as it was written.
  value text,
  -- First 200 characters of the claim text, for lists; empty for rows of high sensitivity.
  excerpt text NOT NULL DEFAULT '',
  memory_type text NOT NULL,
  status text NOT NULL,
  conflict_verdict text NOT NULL DEFAULT '',
  sensitivity text NOT NULL DEFAULT '',
  sensitivity_stated boolean NOT NULL DEFAULT false,
  content_sha256 text NOT NULL DEFAULT '',
  -- SHA-256 of the canonical text: equal claims are found by it whatever the vectors say.
  canonical_sha256 text NOT NULL DEFAULT '',
  tags text[] NOT NULL DEFAULT '{}',
  entities text[] NOT NULL DEFAULT '{}',
  files text[] NOT NULL DEFAULT '{}',
  confidence float8 NOT NULL DEFAULT 1,
  valid_at timestamptz,
  valid_to timestamptz,
  temporal_anchor timestamptz,
  temporal_confidence float8,
  expires_at timestamptz,
  on_expire text NOT NULL DEFAULT 'tombstone',
  expire_reason text NOT NULL DEFAULT '',
  expiry_cleared boolean NOT NULL DEFAULT false,
  actor text NOT NULL,
  source_class text NOT NULL,
  source_trace text NOT NULL DEFAULT '',
  source_resource_id text NOT NULL DEFAULT '',
  run_id text NOT NULL DEFAULT '',
  superseded_by text NOT NULL DEFAULT '',
  superseded_at timestamptz,
  duplicate_of text NOT NULL DEFAULT '',
  canonical_key text NOT NULL DEFAULT '',
  invalid_at timestamptz,
  tombstoned_at timestamptz,
  redacted boolean NOT NULL DEFAULT false,
  chunks int NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  server_recorded_at timestamptz,
  provisional boolean NOT NULL DEFAULT false,
  erasure_seq int8 NOT NULL DEFAULT 0,
  erased_by text NOT NULL DEFAULT '',
  pinned boolean NOT NULL DEFAULT false,
  char_limit int,
  lock_mode text NOT NULL DEFAULT '',
  lock_reason text NOT NULL DEFAULT '',
  locked_by text NOT NULL DEFAULT '',
  lock_until timestamptz,
  lock_actor text NOT NULL DEFAULT '',
  locked_at timestamptz,
  verified_by text NOT NULL DEFAULT '',
  verified_at timestamptz,
  verified_sha256 text NOT NULL DEFAULT '',
  rev int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, memory_id)
);
-- Rows without erased_by only, so that a key erased without purge can start anew.
CREATE UNIQUE INDEX memory_identity ON loom.memory (org, namespace, agent, user_id, session_id, memory_key) WHERE erased_by = '';
CREATE INDEX memory_key ON loom.memory (org, namespace, memory_key);
CREATE INDEX memory_updated ON loom.memory (org, namespace, updated_at DESC, memory_id);
CREATE INDEX memory_canonical ON loom.memory (org, namespace, canonical_sha256) WHERE canonical_sha256 <> '';

-- Append-only history: one row per version of a memory.
CREATE TABLE loom.memory_version (
  org text NOT NULL,
  namespace text NOT NULL,
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  memory_key text NOT NULL,
  memory_id text NOT NULL,
  version int8 NOT NULL,
  op text NOT NULL,
  value text,
  excerpt text NOT NULL DEFAULT '',
  memory_type text NOT NULL,
  status text NOT NULL,
  conflict_verdict text NOT NULL DEFAULT '',
  sensitivity text NOT NULL DEFAULT '',
  sensitivity_stated boolean NOT NULL DEFAULT false,
  content_sha256 text NOT NULL DEFAULT '',
  canonical_sha256 text NOT NULL DEFAULT '',
  tags text[] NOT NULL DEFAULT '{}',
  entities text[] NOT NULL DEFAULT '{}',
  files text[] NOT NULL DEFAULT '{}',
  confidence float8 NOT NULL DEFAULT 1,
  valid_at timestamptz,
  valid_to timestamptz,
  temporal_anchor timestamptz,
  temporal_confidence float8,
  expires_at timestamptz,
  on_expire text NOT NULL DEFAULT 'tombstone',
  expire_reason text NOT NULL DEFAULT '',
  expiry_cleared boolean NOT NULL DEFAULT false,
  actor text NOT NULL,
  source_class text NOT NULL,
  source_trace text NOT NULL DEFAULT '',
  source_resource_id text NOT NULL DEFAULT '',
  run_id text NOT NULL DEFAULT '',
  superseded_by text NOT NULL DEFAULT '',
  superseded_at timestamptz,
  duplicate_of text NOT NULL DEFAULT '',
  canonical_key text NOT NULL DEFAULT '',
  invalid_at timestamptz,
  tombstoned_at timestamptz,
  redacted boolean NOT NULL DEFAULT false,
  chunks int NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  server_recorded_at timestamptz,
  provisional boolean NOT NULL DEFAULT false,
  lost boolean NOT NULL DEFAULT false,
  erasure_seq int8 NOT NULL DEFAULT 0,
  erased_by text NOT NULL DEFAULT '',
  PRIMARY KEY (org, memory_id, version)
);

-- Counters of a row live outside the version chain.
CREATE TABLE loom.memory_usage (
  org text NOT NULL,
  memory_id text NOT NULL,
  reinforcement_count int8 NOT NULL DEFAULT 0,
  recall_count int8 NOT NULL DEFAULT 0,
  served_count int8 NOT NULL DEFAULT 0,
  used_count int8 NOT NULL DEFAULT 0,
  used_cited_count int8 NOT NULL DEFAULT 0,
  acted_count int8 NOT NULL DEFAULT 0,
  harm_count int8 NOT NULL DEFAULT 0,
  evidence_count int8 NOT NULL DEFAULT 0,
  last_recalled_at timestamptz,
  PRIMARY KEY (org, memory_id)
);

-- Narrow on purpose: a scan of codes reads little. Vectors of any length; a vector always carries its model's id.
CREATE TABLE loom.memory_embedding (
  org text NOT NULL,
  memory_id text NOT NULL,
  axis text NOT NULL,
  model text NOT NULL,
  code bit varying NOT NULL,
  vec halfvec NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, memory_id, axis)
);

CREATE TABLE loom.memory_chunk (
  org text NOT NULL,
  memory_id text NOT NULL,
  position int NOT NULL,
  text text NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, memory_id, position)
);

CREATE TABLE loom.memory_relation (
  org text NOT NULL,
  memory_id text NOT NULL,
  position int NOT NULL,
  subject text NOT NULL,
  predicate text NOT NULL,
  object text NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, memory_id, position)
);
CREATE INDEX memory_relation_subject ON loom.memory_relation (org, subject);
CREATE INDEX memory_relation_object ON loom.memory_relation (org, object);

-- One judged pair of rows that a person or an agent may settle.
CREATE TABLE loom.memory_pair (
  org text NOT NULL,
  pair_id text NOT NULL,
  namespace text NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  row_id text NOT NULL,
  peer_id text NOT NULL,
  relation text NOT NULL,
  similarity float8 NOT NULL,
  reason text NOT NULL,
  confidence float8 NOT NULL,
  unsure boolean NOT NULL,
  origin text NOT NULL,
  judge_version text NOT NULL,
  at timestamptz NOT NULL,
  resolution text NOT NULL DEFAULT '',
  settled_by text NOT NULL DEFAULT '',
  settled_at timestamptz,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, pair_id)
);
CREATE INDEX memory_pair_row ON loom.memory_pair (org, row_id) WHERE state = 'open';
CREATE INDEX memory_pair_peer ON loom.memory_pair (org, peer_id) WHERE state = 'open';

CREATE TABLE loom.blacklist (
  org text NOT NULL,
  blacklist_id text NOT NULL,
  namespace text NOT NULL,
  scope text NOT NULL,
  pattern_type text NOT NULL,
  pattern text NOT NULL,
  reason text NOT NULL DEFAULT '',
  created_by text NOT NULL DEFAULT '',
  actor text NOT NULL,
  created_at timestamptz NOT NULL,
  hits int8 NOT NULL DEFAULT 0,
  last_hit_at timestamptz,
  PRIMARY KEY (org, blacklist_id),
  UNIQUE (org, namespace, scope, pattern_type, pattern)
);

-- Hash-only: who changed what and when, never a value.
CREATE TABLE loom.audit (
  org text NOT NULL,
  audit_id text NOT NULL,
  at timestamptz NOT NULL,
  op text NOT NULL,
  subject text NOT NULL,
  namespace text NOT NULL DEFAULT '',
  agent text NOT NULL DEFAULT '',
  user_id text NOT NULL DEFAULT '',
  session_id text NOT NULL DEFAULT '',
  memory_key text NOT NULL DEFAULT '',
  memory_id text NOT NULL DEFAULT '',
  to_key text NOT NULL DEFAULT '',
  version int8,
  content_sha256 text NOT NULL DEFAULT '',
  actor text NOT NULL,
  source_class text NOT NULL DEFAULT '',
  conflict_verdict text NOT NULL DEFAULT '',
  run_id text NOT NULL DEFAULT '',
  request_id text NOT NULL DEFAULT '',
  origin text NOT NULL DEFAULT 'local',
  salt bytea NOT NULL,
  row_sha256 text NOT NULL,
  seal int8,
  scrubbed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (org, audit_id)
);
CREATE INDEX audit_key ON loom.audit (org, namespace, memory_key, audit_id);

-- Answers kept for a repeat of the same write, 24 hours.
CREATE TABLE loom.idempotency (
  org text NOT NULL,
  caller text NOT NULL,
  op text NOT NULL,
  idempotency_key text NOT NULL,
  body_sha256 text NOT NULL,
  answer text NOT NULL,
  created_at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, caller, op, idempotency_key)
);
CREATE INDEX idempotency_age ON loom.idempotency (created_at);

-- A token is looked up by its id alone, before its org is known.
CREATE TABLE loom.auth_token (
  token_id text PRIMARY KEY,
  secret_sha256 text NOT NULL,
  org text NOT NULL,
  subject text NOT NULL,
  kind text NOT NULL,
  grants jsonb NOT NULL,
  agent text NOT NULL DEFAULT '',
  user_id text NOT NULL DEFAULT '',
  own_session boolean NOT NULL DEFAULT false,
  session_id text NOT NULL DEFAULT '',
  device_id text NOT NULL DEFAULT '',
  note text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  created_by text NOT NULL DEFAULT '',
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
