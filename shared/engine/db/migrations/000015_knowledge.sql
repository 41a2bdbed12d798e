-- Documents with their chunks, and saved conversations. Neither is a memory row.

-- Who searches tells by it what changed since it last looked: each change of a document or thread, or of its vectors,
-- takes the next number. It is each host's own, and no shape carries it.
CREATE SEQUENCE loom.index_rev;

CREATE TABLE loom.knowledge_document (
  org text NOT NULL,
  namespace text NOT NULL,
  user_id text NOT NULL,
  document_id text NOT NULL,
  collection text NOT NULL,
  document_key text NOT NULL,
  title text NOT NULL,
  format text NOT NULL,
  source text NOT NULL DEFAULT '',
  tags text[] NOT NULL DEFAULT '{}',
  -- JSON
  metadata text NOT NULL DEFAULT '{}',
  -- As declared, else the highest that a chunk has.
  sensitivity text NOT NULL DEFAULT '',
  sensitivity_stated boolean NOT NULL DEFAULT false,
  -- Of the bytes given.
  content_sha256 text NOT NULL,
  -- Name of the original bytes among the objects; empty on a host that never had them.
  object text NOT NULL DEFAULT '',
  -- What was read from the bytes: Markdown and text as given, of HTML and PDF the text alone.
  text text NOT NULL,
  -- Where its chunks lie in it, as JSON: every host cuts it alike, though the file itself is on one of them.
  outline text NOT NULL DEFAULT '[]',
  chars int NOT NULL,
  chunks int NOT NULL,
  pages int,
  version int8 NOT NULL,
  agent text NOT NULL,
  session_id text NOT NULL,
  actor text NOT NULL,
  source_class text NOT NULL,
  run_id text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  tombstoned_at timestamptz,
  -- Raised by every change; of two rows, pulled or answered, the greater one stands.
  rev int8 NOT NULL DEFAULT 0,
  erasure_seq int8 NOT NULL DEFAULT 0,
  erased_by text NOT NULL DEFAULT '',
  index_rev int8 NOT NULL DEFAULT nextval('loom.index_rev'),
  PRIMARY KEY (org, document_id)
);
-- Rows without erased_by only, so that a key erased without purge can start anew.
CREATE UNIQUE INDEX knowledge_document_identity ON loom.knowledge_document (org, namespace, collection, document_key, user_id) WHERE erased_by = '';
CREATE INDEX knowledge_document_updated ON loom.knowledge_document (org, namespace, updated_at DESC, document_id) WHERE erased_by = '';

CREATE TABLE loom.knowledge_chunk (
  org text NOT NULL,
  document_id text NOT NULL,
  chunk_index int NOT NULL,
  -- Heading path.
  section text[] NOT NULL DEFAULT '{}',
  -- From 1: pages of a PDF, lines of Markdown and text.
  page int,
  line_from int,
  line_to int,
  -- Where its text begins in the document's, in characters.
  start_at int NOT NULL,
  text text NOT NULL,
  sensitivity text NOT NULL DEFAULT '',
  tombstoned_at timestamptz,
  erasure_seq int8 NOT NULL DEFAULT 0,
  erased_by text NOT NULL DEFAULT '',
  PRIMARY KEY (org, document_id, chunk_index)
);

CREATE TABLE loom.knowledge_embedding (
  org text NOT NULL,
  document_id text NOT NULL,
  chunk_index int NOT NULL,
  model text NOT NULL,
  code bit varying NOT NULL,
  vec halfvec NOT NULL,
  tombstoned_at timestamptz,
  erasure_seq int8 NOT NULL DEFAULT 0,
  erased_by text NOT NULL DEFAULT '',
  PRIMARY KEY (org, document_id, chunk_index)
);

CREATE TABLE loom.conversation_thread (
  org text NOT NULL,
  namespace text NOT NULL,
  user_id text NOT NULL,
  thread_id text NOT NULL,
  title text NOT NULL DEFAULT '',
  -- JSON
  metadata text NOT NULL DEFAULT '{}',
  -- Declared for the whole thread.
  sensitivity text NOT NULL DEFAULT '',
  -- Live ones; the sequence of the last one ever.
  messages int NOT NULL DEFAULT 0,
  last_seq int8 NOT NULL DEFAULT 0,
  first_at timestamptz,
  last_at timestamptz,
  agent text NOT NULL,
  session_id text NOT NULL,
  actor text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  tombstoned_at timestamptz,
  rev int8 NOT NULL DEFAULT 0,
  erasure_seq int8 NOT NULL DEFAULT 0,
  index_rev int8 NOT NULL DEFAULT nextval('loom.index_rev'),
  PRIMARY KEY (org, namespace, thread_id, user_id)
);
CREATE INDEX conversation_thread_last ON loom.conversation_thread (org, namespace, last_at DESC, thread_id DESC) WHERE tombstoned_at IS NULL;

CREATE TABLE loom.conversation_message (
  org text NOT NULL,
  namespace text NOT NULL,
  user_id text NOT NULL,
  thread_id text NOT NULL,
  message_id text NOT NULL,
  seq int8 NOT NULL,
  role text NOT NULL,
  name text NOT NULL DEFAULT '',
  content text NOT NULL,
  at timestamptz NOT NULL,
  -- The higher of its own and its thread's.
  sensitivity text NOT NULL DEFAULT '',
  own_sensitivity text NOT NULL DEFAULT '',
  -- JSON
  metadata text NOT NULL DEFAULT '{}',
  run_id text NOT NULL DEFAULT '',
  agent text NOT NULL,
  session_id text NOT NULL,
  actor text NOT NULL,
  created_at timestamptz NOT NULL,
  tombstoned_at timestamptz,
  rev int8 NOT NULL DEFAULT 0,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, namespace, thread_id, user_id, message_id)
);
CREATE INDEX conversation_message_seq ON loom.conversation_message (org, namespace, thread_id, user_id, seq);
CREATE INDEX conversation_message_run ON loom.conversation_message (org, namespace, run_id) WHERE run_id <> '';

CREATE TABLE loom.conversation_embedding (
  org text NOT NULL,
  namespace text NOT NULL,
  user_id text NOT NULL,
  thread_id text NOT NULL,
  message_id text NOT NULL,
  model text NOT NULL,
  code bit varying NOT NULL,
  vec halfvec NOT NULL,
  erasure_seq int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (org, namespace, thread_id, user_id, message_id)
);
