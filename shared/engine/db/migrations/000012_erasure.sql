-- Erasures: the ledger of sagas, their steps, the receipts of devices, and the number that every row carries.

-- The number of the org at the moment a row is made, as its transaction was told it (loom.enter_write, or the host).
CREATE FUNCTION loom.erasure_number() RETURNS int8 LANGUAGE sql STABLE AS
  $$ SELECT coalesce(nullif(current_setting('loom.erasure_number', true), ''), '0')::int8 $$;

-- What every write of an org begins with on Postgres: a fence waits for it, and it sees the number from then on. Volatile,
-- so that the number is read after the lock is had.
CREATE FUNCTION loom.enter_write(entered text) RETURNS int8 LANGUAGE plpgsql VOLATILE AS $enter$
DECLARE number int8;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('erasure:' || entered, 0));
  SELECT erasure_seq INTO number FROM loom.org WHERE org = entered;
  number := coalesce(number, 0);
  PERFORM set_config('loom.erasure_number', number::text, true);
  RETURN number;
END $enter$;

-- Rows that can hold content and did not carry a number until now.
ALTER TABLE loom.audit ADD COLUMN erasure_seq int8 NOT NULL DEFAULT 0;
ALTER TABLE loom.memory_webhook_outbox ADD COLUMN erasure_seq int8 NOT NULL DEFAULT 0;
ALTER TABLE loom.namespace_snapshot ADD COLUMN erasure_seq int8 NOT NULL DEFAULT 0;
ALTER TABLE loom.auth_token ADD COLUMN erasure_seq int8 NOT NULL DEFAULT 0;
ALTER TABLE loom.pair_code ADD COLUMN erasure_seq int8 NOT NULL DEFAULT 0;
ALTER TABLE loom.sync_inbox ADD COLUMN erasure_seq int8 NOT NULL DEFAULT 0;
-- Where the call was that an answer is kept for; empty: anywhere in the org.
ALTER TABLE loom.idempotency ADD COLUMN namespace text NOT NULL DEFAULT '';

-- Stamped by an erasure without purge, and read by nothing from then on.
ALTER TABLE loom.memory_embedding ADD COLUMN tombstoned_at timestamptz, ADD COLUMN erased_by text NOT NULL DEFAULT '';
ALTER TABLE loom.memory_chunk ADD COLUMN tombstoned_at timestamptz, ADD COLUMN erased_by text NOT NULL DEFAULT '';
ALTER TABLE loom.memory_summary ADD COLUMN tombstoned_at timestamptz, ADD COLUMN erased_by text NOT NULL DEFAULT '';
ALTER TABLE loom.memory_link ADD COLUMN tombstoned_at timestamptz, ADD COLUMN erased_by text NOT NULL DEFAULT '';

-- The ledger: one row a saga, kept for good.
CREATE TABLE loom.erasure_saga (
  org text NOT NULL,
  erasure_id text NOT NULL,
  seq int8 NOT NULL,
  -- user_id, namespace, namespace_list or collection.
  scope_type text NOT NULL,
  scope_value text NOT NULL,
  -- What it covers; null: every namespace.
  namespaces text[],
  user_id text NOT NULL DEFAULT '',
  collection text NOT NULL DEFAULT '',
  requester text NOT NULL,
  urgency text NOT NULL DEFAULT 'normal',
  purge boolean NOT NULL,
  external boolean NOT NULL DEFAULT true,
  status text NOT NULL DEFAULT 'in_progress',
  attempts int4 NOT NULL DEFAULT 1,
  failure_reason text NOT NULL DEFAULT '',
  requested_at timestamptz NOT NULL,
  completed_at timestamptz,
  verified_at timestamptz,
  -- When a purge took the bytes: backups made before it go.
  purged_at timestamptz,
  -- Counts by census key: all of a census that counted every store; of the last one what was not zero.
  census jsonb,
  residue jsonb NOT NULL DEFAULT '{}',
  -- Who runs it, and until when unless it says more.
  lease_owner text NOT NULL DEFAULT '',
  lease_until timestamptz,
  -- When a failed one is taken up again; null: never.
  next_attempt_at timestamptz,
  PRIMARY KEY (org, erasure_id)
);
CREATE INDEX erasure_saga_newest ON loom.erasure_saga (org, requested_at DESC, erasure_id DESC);
-- Due work is looked for across orgs.
CREATE INDEX erasure_saga_open ON loom.erasure_saga (status) WHERE status <> 'completed';

CREATE TABLE loom.erasure_step (
  org text NOT NULL,
  erasure_id text NOT NULL,
  step text NOT NULL,
  -- The attempt that did it, and the rows that it touched then, by census key.
  attempt int4 NOT NULL,
  rows_affected int8 NOT NULL DEFAULT 0,
  stores jsonb NOT NULL DEFAULT '{}',
  done_at timestamptz,
  PRIMARY KEY (org, erasure_id, step)
);

-- Ids and keys that a running saga took away, for what still points at them; gone before it is verified.
CREATE TABLE loom.erasure_target (
  org text NOT NULL,
  erasure_id text NOT NULL,
  memory_id text NOT NULL,
  namespace text NOT NULL,
  memory_key text NOT NULL,
  PRIMARY KEY (org, erasure_id, memory_id)
);
CREATE INDEX erasure_target_key ON loom.erasure_target (org, erasure_id, namespace, memory_key);

-- The latest receipt of each device for a fence.
CREATE TABLE loom.erasure_receipt (
  org text NOT NULL,
  erasure_id text NOT NULL,
  seq int8 NOT NULL,
  device_id text NOT NULL,
  purge boolean NOT NULL,
  rows_affected int8 NOT NULL,
  queue_dropped int8 NOT NULL,
  census jsonb NOT NULL,
  applied_at timestamptz NOT NULL,
  app_version text NOT NULL,
  signature text NOT NULL,
  -- Every count was zero.
  clean boolean NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (org, erasure_id, seq, device_id)
);

-- Desktop: receipts that the server has still to be sent, and fences whose census was not zero yet.
CREATE TABLE loom.erasure_own_receipt (
  org text NOT NULL,
  erasure_id text NOT NULL,
  seq int8 NOT NULL,
  rows_affected int8 NOT NULL,
  queue_dropped int8 NOT NULL,
  census jsonb NOT NULL,
  applied_at timestamptz NOT NULL,
  purge boolean NOT NULL,
  clean boolean NOT NULL,
  sent boolean NOT NULL DEFAULT false,
  PRIMARY KEY (org, erasure_id, seq)
);
