-- Background passes, the seals of the audit log, and named points in time.

-- Who runs a worker, and until when unless it says more; when it last ended.
CREATE TABLE loom.worker_lease (
  worker text PRIMARY KEY,
  owner text NOT NULL,
  expires_at timestamptz,
  ran_at timestamptz
);

-- Where a worker goes on: a piece of work is gone when it is done, a worker's own notes stay.
CREATE TABLE loom.job (
  job_id text PRIMARY KEY,
  worker text NOT NULL,
  org text NOT NULL DEFAULT '',
  namespace text NOT NULL DEFAULT '',
  state jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX job_worker ON loom.job (worker, job_id);

CREATE TABLE loom.audit_seal (
  org text NOT NULL,
  seal int8 NOT NULL,
  rows int NOT NULL,
  prev_hash text NOT NULL,
  hash text NOT NULL,
  at timestamptz NOT NULL,
  -- Its rows went by retention: what is left anchors the seal after it.
  dropped boolean NOT NULL DEFAULT false,
  PRIMARY KEY (org, seal)
);
CREATE INDEX audit_unsealed ON loom.audit (org, audit_id) WHERE seal IS NULL;
CREATE INDEX audit_sealed ON loom.audit (org, seal, audit_id) WHERE seal IS NOT NULL;

CREATE TABLE loom.namespace_snapshot (
  org text NOT NULL,
  namespace text NOT NULL,
  snapshot_id text NOT NULL,
  name text NOT NULL,
  note text NOT NULL DEFAULT '',
  at timestamptz NOT NULL,
  version int8 NOT NULL,
  counts jsonb NOT NULL,
  actor text NOT NULL,
  automatic boolean NOT NULL DEFAULT false,
  PRIMARY KEY (org, snapshot_id),
  UNIQUE (org, namespace, name)
);

-- Due work is looked for across orgs.
CREATE INDEX memory_expires ON loom.memory (expires_at) WHERE expires_at IS NOT NULL AND erased_by = '';
CREATE INDEX memory_written ON loom.memory (version);
CREATE INDEX memory_files ON loom.memory (org, namespace) WHERE files <> '{}';
-- A namespace as it was at a time.
CREATE INDEX memory_version_namespace ON loom.memory_version (org, namespace, memory_id, version);
