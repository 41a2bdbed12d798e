-- Vectors of texts that a dry run embedded, for the write that follows it. Nothing here outlives a day or an erasure of its namespace.

CREATE TABLE loom.embedding_cache (
  org text NOT NULL,
  namespace text NOT NULL,
  model text NOT NULL,
  text_sha256 text NOT NULL,
  -- As the model made it, four bytes a number: judged as a fresh one is.
  vec bytea NOT NULL,
  at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, namespace, model, text_sha256)
);

CREATE INDEX embedding_cache_at ON loom.embedding_cache (org, at);

-- Rows without a canonical text (those of high sensitivity): found by their very text when it is imported again.
CREATE INDEX memory_uncanonical ON loom.memory (org, namespace, content_sha256) WHERE canonical_sha256 = '';
