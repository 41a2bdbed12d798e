-- Runs with their grades and events, the ledger of requests among them; scratch values and leases.

CREATE TABLE loom.run (
  org text NOT NULL,
  namespace text NOT NULL,
  run_id text NOT NULL,
  goal text NOT NULL DEFAULT '',
  status text NOT NULL,
  -- The session of an MCP client.
  implicit boolean NOT NULL DEFAULT false,
  parent_run_id text NOT NULL DEFAULT '',
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  actor text NOT NULL,
  started_at timestamptz NOT NULL,
  completed_at timestamptz,
  duration_ms int8,
  final_response text NOT NULL DEFAULT '',
  confidence float8,
  reflection text NOT NULL DEFAULT '',
  -- JSON
  metadata text NOT NULL DEFAULT '{}',
  memories_used text[] NOT NULL DEFAULT '{}',
  recalled_keys text[] NOT NULL DEFAULT '{}',
  outcome text NOT NULL DEFAULT '',
  weight int NOT NULL DEFAULT 1,
  retain text NOT NULL DEFAULT 'keep',
  grade text NOT NULL DEFAULT '',
  graded_at timestamptz,
  graded_by text NOT NULL DEFAULT '',
  grade_reason text NOT NULL DEFAULT '',
  -- Ended by the time that passed and not by a call: completing it still counts.
  lapsed boolean NOT NULL DEFAULT false,
  -- Hash of the call that ended it, by which a repeat is known.
  completion_sha256 text NOT NULL DEFAULT '',
  last_event_at timestamptz NOT NULL,
  last_seq int8 NOT NULL DEFAULT 0,
  events int NOT NULL DEFAULT 0,
  tool_calls int NOT NULL DEFAULT 0,
  -- The first 100 that events named.
  files text[] NOT NULL DEFAULT '{}',
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, namespace, run_id)
);
CREATE INDEX run_started ON loom.run (org, namespace, started_at DESC, run_id DESC);
CREATE INDEX run_used ON loom.run USING gin (memories_used);
CREATE INDEX run_open ON loom.run (last_event_at) WHERE status = 'running';

CREATE TABLE loom.run_event (
  org text NOT NULL,
  event_id text NOT NULL,
  namespace text NOT NULL,
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  -- Empty: a request that named no run.
  run_id text NOT NULL DEFAULT '',
  seq int8 NOT NULL DEFAULT 0,
  at timestamptz NOT NULL,
  kind text NOT NULL,
  name text NOT NULL DEFAULT '',
  summary text NOT NULL DEFAULT '',
  files text[] NOT NULL DEFAULT '{}',
  memory_keys text[] NOT NULL DEFAULT '{}',
  ok boolean NOT NULL DEFAULT true,
  code text NOT NULL DEFAULT '',
  duration_ms int8,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, event_id)
);
CREATE INDEX run_event_of_run ON loom.run_event (org, namespace, run_id, seq) WHERE run_id <> '';
CREATE INDEX run_event_at ON loom.run_event (org, namespace, at DESC);

-- What a run wrote.
CREATE INDEX memory_run ON loom.memory (org, namespace, run_id) WHERE run_id <> '';
CREATE INDEX memory_version_run ON loom.memory_version (org, namespace, run_id) WHERE run_id <> '';

CREATE TABLE loom.working_memory (
  org text NOT NULL,
  namespace text NOT NULL,
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  key text NOT NULL,
  -- JSON
  value text NOT NULL,
  bytes int NOT NULL,
  version int8 NOT NULL,
  updated_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, namespace, agent, user_id, session_id, key)
);
CREATE INDEX working_memory_expires ON loom.working_memory (expires_at);

-- One row a name, kept when the lease is over: its fence never goes back.
CREATE TABLE loom.working_lease (
  org text NOT NULL,
  namespace text NOT NULL,
  name text NOT NULL,
  lease_id text NOT NULL,
  fence int8 NOT NULL,
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  note text NOT NULL DEFAULT '',
  since timestamptz NOT NULL,
  until timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, namespace, name)
);

-- Review of a learning, of the value it then had: a new one waits again.
CREATE TABLE loom.learning_review (
  org text NOT NULL,
  memory_id text NOT NULL,
  namespace text NOT NULL,
  review text NOT NULL DEFAULT 'pending',
  content_sha256 text NOT NULL,
  reviewed_by text NOT NULL DEFAULT '',
  reviewed_at timestamptz,
  reason text NOT NULL DEFAULT '',
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, memory_id)
);
CREATE INDEX learning_review_namespace ON loom.learning_review (org, namespace);
