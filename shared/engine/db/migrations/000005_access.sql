-- Pairing codes and paired devices.

-- Looked up by its hash before an org is known, as a token is.
CREATE TABLE loom.pair_code (
  code_sha256 text PRIMARY KEY,
  pair_id text NOT NULL,
  org text NOT NULL,
  subject text NOT NULL,
  kind text NOT NULL,
  grants jsonb NOT NULL,
  user_id text NOT NULL DEFAULT '',
  own_session boolean NOT NULL DEFAULT false,
  session_id text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  created_by text NOT NULL DEFAULT '',
  expires_at timestamptz NOT NULL,
  -- Set when it is redeemed: the device it made, and the key that alone may send it again.
  redeemed_at timestamptz,
  device_id text NOT NULL DEFAULT '',
  device_key text NOT NULL DEFAULT ''
);

CREATE TABLE loom.device (
  org text NOT NULL,
  device_id text NOT NULL,
  name text NOT NULL,
  device_key text NOT NULL,
  -- Its token, whose claims are the device's.
  token_id text NOT NULL,
  platform text NOT NULL DEFAULT '',
  app_version text NOT NULL DEFAULT '',
  judge_version text NOT NULL DEFAULT '',
  embedding_model text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz,
  last_push_at timestamptz,
  erasure_seq int8 NOT NULL DEFAULT 0,
  revoked_at timestamptz,
  revoke_reason text NOT NULL DEFAULT '',
  wipe boolean NOT NULL DEFAULT false,
  PRIMARY KEY (org, device_id)
);
-- One machine is one device: its key tells it.
CREATE UNIQUE INDEX device_key ON loom.device (org, device_key) WHERE revoked_at IS NULL;

-- The instance changes when the database was restored; who the server is does not.
ALTER TABLE loom.instance ADD COLUMN server_id text NOT NULL DEFAULT '';

ALTER TABLE loom.auth_token ADD COLUMN revoke_reason text NOT NULL DEFAULT '';
CREATE INDEX auth_token_org ON loom.auth_token (org, created_at DESC, token_id DESC);
CREATE INDEX auth_token_device ON loom.auth_token (device_id) WHERE device_id <> '';
