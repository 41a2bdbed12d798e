-- Change webhooks: registrations, the events to send, and what became of them. No secret is in any table.

CREATE TABLE loom.webhook (
  org text NOT NULL,
  webhook_id text NOT NULL,
  namespace text NOT NULL,
  -- As the URL standard writes it: by this two registrations are the same.
  url text NOT NULL,
  -- Name of the variable that holds the secret.
  secret_ref text NOT NULL,
  events text[] NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- Of its latest attempt.
  last_status int4,
  last_error text NOT NULL DEFAULT '',
  -- The row stays until its events expire.
  removed_at timestamptz,
  PRIMARY KEY (org, webhook_id)
);
CREATE INDEX webhook_live ON loom.webhook (org, namespace, created_at) WHERE removed_at IS NULL;

-- One row per event and webhook, inserted with the write that caused it. An erasure deletes those in its scope.
CREATE TABLE loom.memory_webhook_outbox (
  org text NOT NULL,
  webhook_id text NOT NULL,
  event_id text NOT NULL,
  namespace text NOT NULL,
  type text NOT NULL,
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  memory_key text NOT NULL,
  memory_id text NOT NULL,
  version int8 NOT NULL,
  occurred_at timestamptz NOT NULL,
  -- Sent byte for byte the same on every attempt.
  body text NOT NULL,
  -- Null: delivered or dead.
  next_attempt_at timestamptz,
  -- A pass holds it until then.
  lease_until timestamptz,
  attempts int4 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, webhook_id, event_id)
) WITH (fillfactor = 70);
CREATE INDEX memory_webhook_outbox_due ON loom.memory_webhook_outbox (org, webhook_id, occurred_at, version, event_id)
  WHERE next_attempt_at IS NOT NULL;

-- State and outcome alone: no key, no id of a memory, no identity. It survives an erasure.
CREATE TABLE loom.memory_webhook_delivery (
  org text NOT NULL,
  webhook_id text NOT NULL,
  event_id text NOT NULL,
  namespace text NOT NULL,
  type text NOT NULL,
  state text NOT NULL DEFAULT 'pending',
  attempts int4 NOT NULL DEFAULT 0,
  last_status int4,
  last_error text NOT NULL DEFAULT '',
  occurred_at timestamptz NOT NULL,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  PRIMARY KEY (org, webhook_id, event_id)
) WITH (fillfactor = 70);
CREATE INDEX memory_webhook_delivery_listed ON loom.memory_webhook_delivery (org, namespace, occurred_at, event_id);
