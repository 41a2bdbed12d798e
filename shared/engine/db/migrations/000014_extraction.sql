-- Transcripts that wait to be extracted, answers of a language model, and what trials and extraction look for.

CREATE TABLE loom.extract_queue (
  org text NOT NULL,
  queue_id text NOT NULL,
  namespace text NOT NULL,
  agent text NOT NULL,
  user_id text NOT NULL,
  session_id text NOT NULL,
  -- JSON: the call as it was made, with its transcript.
  input text NOT NULL,
  messages int NOT NULL,
  -- JSON: who made it. Of a token its rights are read anew.
  claims text NOT NULL,
  request_id text NOT NULL DEFAULT '',
  attempts int NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, queue_id)
);
CREATE INDEX extract_queue_due ON loom.extract_queue (due_at);
CREATE INDEX extract_queue_place ON loom.extract_queue (org, namespace);

-- What a model answered, for the same question asked again. Nothing here outlives a week or an erasure of its place.
CREATE TABLE loom.llm_cache (
  org text NOT NULL,
  namespace text NOT NULL,
  user_id text NOT NULL,
  -- Hash of the model and of all that it was asked.
  prompt_sha256 text NOT NULL,
  agent text NOT NULL,
  session_id text NOT NULL,
  answer text NOT NULL,
  tokens_in int8 NOT NULL,
  tokens_out int8 NOT NULL,
  at timestamptz NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, namespace, user_id, prompt_sha256)
);
CREATE INDEX llm_cache_at ON loom.llm_cache (org, at);

CREATE INDEX memory_proposed ON loom.memory (org, namespace, updated_at DESC) WHERE status = 'proposed';
CREATE INDEX memory_rejected ON loom.memory (org, namespace) WHERE status = 'rejected';
