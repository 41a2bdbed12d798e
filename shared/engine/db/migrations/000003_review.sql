-- Settling what the judge left open, and telling what was retired without anyone asking.

-- The contents that were judged: a pair settled as keep_both holds for these two, and a changed side is judged again.
ALTER TABLE loom.memory_pair
  ADD COLUMN row_sha256 text NOT NULL DEFAULT '',
  ADD COLUMN peer_sha256 text NOT NULL DEFAULT '',
  -- JSON: what the settlement changed, to put it back.
  ADD COLUMN undo text NOT NULL DEFAULT '';
CREATE INDEX memory_pair_list ON loom.memory_pair (org, namespace, state, at DESC, pair_id);
CREATE INDEX memory_pair_any_row ON loom.memory_pair (org, row_id);
CREATE INDEX memory_pair_any_peer ON loom.memory_pair (org, peer_id);

-- Why a version retired its row by itself: newest_wins, refines, resolver or sync; '' for every other version.
ALTER TABLE loom.memory_version
  ADD COLUMN retired_cause text NOT NULL DEFAULT '',
  ADD COLUMN retired_reason text NOT NULL DEFAULT '',
  ADD COLUMN retired_confidence float8,
  ADD COLUMN retired_by_version int8;
CREATE INDEX memory_version_retired ON loom.memory_version (org, namespace, updated_at DESC, memory_id) WHERE retired_cause <> '';

-- Rows that search shows as one with the canonical row of their group, as long as they are the version that was grouped.
CREATE TABLE loom.memory_lexical (
  org text NOT NULL,
  memory_id text NOT NULL,
  -- memory_id of the group's canonical row.
  collapse_group text NOT NULL,
  version int8 NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, memory_id)
);
CREATE INDEX memory_lexical_group ON loom.memory_lexical (org, collapse_group);

-- Flags that the conflict resolver may clear, and duplicates that may have lost their canonical row.
CREATE INDEX memory_flagged ON loom.memory (org, namespace, status) WHERE status IN ('conflicted', 'duplicate');
CREATE INDEX memory_duplicate_of ON loom.memory (org, duplicate_of) WHERE duplicate_of <> '';
