-- What devices push: the outcome of each change, one push at a time, and the versions that never became a head.

-- Ids and a verdict, no content. Kept as long as the device is registered: the same change again answers the same.
CREATE TABLE loom.sync_change (
  org text NOT NULL,
  change_id text NOT NULL,
  device_id text NOT NULL,
  outcome text NOT NULL,
  code text NOT NULL DEFAULT '',
  conflict_verdict text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT '',
  memory_id text NOT NULL DEFAULT '',
  -- The row that holds the fact, after a merge.
  holder_id text NOT NULL DEFAULT '',
  version int8,
  -- Version of the head it was made on; null: no row was here.
  base_version int8,
  at timestamptz NOT NULL,
  PRIMARY KEY (org, change_id)
);
CREATE INDEX sync_change_device ON loom.sync_change (org, device_id);

-- Who is pushing for a device, and until when unless it says more.
ALTER TABLE loom.device
  ADD COLUMN push_owner text NOT NULL DEFAULT '',
  ADD COLUMN push_until timestamptz;

-- When a pushed value was said, by the clock of its device, never later than the server's own: orders two values of one
-- key that did not know of each other. Null: written here, at its own time.
ALTER TABLE loom.memory_version ADD COLUMN said_at timestamptz;
-- A key may have lost versions alone.
CREATE INDEX memory_version_lost ON loom.memory_version (org, namespace, memory_key, version) WHERE lost;

-- A pair of two versions of one row: the head is its row, this version of the same memory_id its peer.
ALTER TABLE loom.memory_pair ADD COLUMN peer_version int8;
