import type { ExportSection } from '../../contract/ops/namespace/export.ts'

/** How the rows of a table are exported: whole, but for what other columns follow from or only this host knows. */
export interface ExportedTable {
  /** Names the rows in a section of several tables. */
  readonly kind: string
  /** FROM item with the table as `t`. */
  readonly from: string
  /** Rows of the namespace `$namespace` of the org, besides the org itself. */
  readonly where: string
  /** Columns of the key after the org, in order, with their types. */
  readonly key: readonly (readonly [column: string, type: 'text' | 'int8' | 'int4'])[]
  /** What is selected of the table where it is not every column. */
  readonly columns?: string
  /** What is selected besides the table's own columns. */
  readonly also?: string
  /** Columns that hold JSON as text. */
  readonly json?: readonly string[]
  /** The other columns that are left out. */
  readonly without?: readonly string[]
}

const OWN = 't.namespace = $namespace'
/** What no reader of an export can use. */
export const NEVER: ReadonlySet<string> = new Set([
  'erasure_seq',
  'erased_by',
  'rev',
  'index_rev',
  'change_id',
  'device_id',
  'canonical_sha256',
  'excerpt',
  'provisional',
  'completion_sha256',
  'object',
])

const LIVE = (row: string): string => `${row}.erased_by = '' AND ${row}.status IN ('active', 'conflicted', 'duplicate')`
const owner = (row: string, prefix: string): string =>
  ['agent', 'user_id', 'session_id'].map((column) => `${row}.${column} AS ${prefix}${column}`).join(', ')
const whose = (row: string, prefix: string): string => `${row}.memory_key AS ${prefix}memory_key, ${owner(row, prefix)}`

/** Between rows that are exported by default. */
const LINKS: ExportedTable = {
  kind: 'link',
  from: `loom.memory_link t JOIN loom.memory a ON a.org = t.org AND a.memory_id = t.from_id JOIN loom.memory b ON b.org = t.org AND b.memory_id = t.to_id`,
  where: `${OWN} AND ${LIVE('a')} AND ${LIVE('b')}`,
  key: [
    ['from_id', 'text'],
    ['to_id', 'text'],
    ['relation', 'text'],
  ],
  also: `a.memory_key AS from_key, b.memory_key AS to_key, ${owner('a', 'from_')}, ${owner('b', 'to_')}`,
}

/** Pairs that somebody lets stand side by side, as they read now. */
const AGREED_PAIRS: ExportedTable = {
  kind: 'agreed',
  from: `loom.memory_pair t JOIN loom.memory a ON a.org = t.org AND a.memory_id = t.row_id JOIN loom.memory b ON b.org = t.org AND b.memory_id = t.peer_id`,
  where: `${OWN} AND t.state = 'settled' AND t.resolution IN ('keep_both', 'restored') AND ${LIVE('a')} AND ${LIVE('b')}
    AND a.content_sha256 = t.row_sha256 AND b.content_sha256 = t.peer_sha256`,
  key: [['pair_id', 'text']],
  also: `${whose('a', 'row_')}, ${whose('b', 'peer_')}`,
  without: ['similarity', 'reason', 'row_sha256', 'peer_sha256', 'peer_version', 'undo', 'judge_version'],
}

/** Learnings, and how each was reviewed as it now reads. */
const REVIEWS: ExportedTable = {
  kind: 'learning',
  from: 'loom.learning_review t JOIN loom.memory a ON a.org = t.org AND a.memory_id = t.memory_id',
  where: `${OWN} AND ${LIVE('a')}`,
  key: [['memory_id', 'text']],
  also: `${whose('a', '')}, a.value, a.sensitivity, CASE WHEN a.content_sha256 = t.content_sha256 THEN t.review ELSE 'pending' END AS stands`,
  json: ['value'],
}

/** What profiles were built from. */
const SOURCES: ExportedTable = {
  kind: 'sources',
  from: 'loom.memory t',
  where: `${OWN} AND ${LIVE('t')} AND t.memory_type = 'profile' AND EXISTS (SELECT 1 FROM loom.memory_summary s
    JOIN loom.memory o ON o.org = s.org AND o.memory_id = s.source_id AND ${LIVE('o')}
    WHERE s.org = t.org AND s.memory_id = t.memory_id AND s.version = t.version)`,
  key: [['memory_id', 'text']],
  columns: `${whose('t', '')}, t.memory_id, t.value, t.sensitivity, ARRAY(SELECT DISTINCT o.memory_key FROM loom.memory_summary s
    JOIN loom.memory o ON o.org = s.org AND o.memory_id = s.source_id AND ${LIVE('o')}
    WHERE s.org = t.org AND s.memory_id = t.memory_id AND s.version = t.version ORDER BY 1) AS built_from`,
  json: ['value'],
}

/** What predicates read, made of the fields. */
const OF_PREDICATES = ['vals', 'folds', 'states']

/** Every section but that of the memory rows, which are shown as memory.get shows them. */
export const EXPORTED: Readonly<Record<Exclude<ExportSection, 'memory'>, readonly ExportedTable[]>> = {
  history: [
    {
      kind: 'version',
      from: 'loom.memory_version t',
      where: `${OWN} AND t.erased_by = ''`,
      key: [
        ['memory_id', 'text'],
        ['version', 'int8'],
      ],
      json: ['value'],
    },
  ],
  links: [
    LINKS,
    {
      kind: 'category',
      from: 'loom.memory_category t',
      where: `${OWN} AND t.rescinded_at IS NULL`,
      key: [
        ['memory_key', 'text'],
        ['category_key', 'text'],
      ],
    },
    {
      kind: 'shared',
      from: 'loom.memory_shelf t LEFT JOIN loom.memory a ON a.org = t.org AND a.memory_id = t.memory_id',
      where: OWN,
      key: [['memory_key', 'text']],
      // Whether sharing the row as it now is lays the same copy there.
      also: `coalesce(${LIVE('a')} AND a.status <> 'conflicted' AND (a.content_sha256, a.memory_type, a.sensitivity, a.tags, a.entities)
        = (t.content_sha256, t.memory_type, t.sensitivity, t.tags, t.entities), false) AS is_level`,
      json: ['value'],
    },
    AGREED_PAIRS,
    REVIEWS,
    SOURCES,
  ],
  settings: [
    { kind: 'namespace', from: 'loom.namespace t', where: OWN, key: [['namespace', 'text']] },
    { kind: 'category', from: 'loom.namespace_category t', where: OWN, key: [['category_key', 'text']] },
    { kind: 'blacklist', from: 'loom.blacklist t', where: `${OWN} AND t.scope = 'namespace'`, key: [['blacklist_id', 'text']] },
  ],
  schemas: [
    {
      kind: 'schema',
      from: 'loom.memory_schema t',
      where: OWN,
      key: [
        ['schema', 'text'],
        ['version', 'int4'],
      ],
      json: ['fields'],
    },
  ],
  records: [
    {
      kind: 'record',
      from: 'loom.memory_record t',
      where: `${OWN} AND NOT t.tombstoned`,
      key: [['record_id', 'text']],
      json: ['fields'],
      without: OF_PREDICATES,
    },
    {
      kind: 'record_version',
      from: 'loom.memory_record_version t',
      where: OWN,
      key: [
        ['record_id', 'text'],
        ['version', 'int8'],
      ],
      json: ['fields'],
      without: OF_PREDICATES,
    },
  ],
  knowledge: [
    {
      kind: 'document',
      from: 'loom.knowledge_document t',
      where: `${OWN} AND t.erased_by = '' AND t.tombstoned_at IS NULL`,
      key: [['document_id', 'text']],
      // Whether its text is what was given, byte for byte: else the original says what it is.
      also: `encode(sha256(convert_to(t.text, 'UTF8')), 'hex') = t.content_sha256 AS as_given`,
      json: ['metadata'],
    },
    {
      kind: 'chunk',
      from: 'loom.knowledge_chunk t JOIN loom.knowledge_document d ON d.org = t.org AND d.document_id = t.document_id',
      where: `d.namespace = $namespace AND d.erased_by = '' AND d.tombstoned_at IS NULL AND t.tombstoned_at IS NULL`,
      key: [
        ['document_id', 'text'],
        ['chunk_index', 'int4'],
      ],
    },
  ],
  conversations: [
    {
      kind: 'thread',
      from: 'loom.conversation_thread t',
      where: `${OWN} AND t.tombstoned_at IS NULL`,
      key: [
        ['thread_id', 'text'],
        ['user_id', 'text'],
      ],
      json: ['metadata'],
    },
    {
      kind: 'message',
      from: 'loom.conversation_message t',
      where: `${OWN} AND t.tombstoned_at IS NULL`,
      key: [
        ['thread_id', 'text'],
        ['user_id', 'text'],
        // In the order in which they were said.
        ['seq', 'int8'],
        ['message_id', 'text'],
      ],
      json: ['metadata'],
    },
  ],
  runs: [
    { kind: 'run', from: 'loom.run t', where: OWN, key: [['run_id', 'text']], json: ['metadata'] },
    {
      kind: 'event',
      from: 'loom.run_event t',
      where: `${OWN} AND t.run_id <> ''`,
      key: [
        ['run_id', 'text'],
        ['seq', 'int8'],
        ['event_id', 'text'],
      ],
    },
  ],
  working_memory: [
    {
      kind: 'value',
      from: 'loom.working_memory t',
      where: `${OWN} AND t.expires_at > $now`,
      key: [
        ['agent', 'text'],
        ['user_id', 'text'],
        ['session_id', 'text'],
        ['key', 'text'],
      ],
      json: ['value'],
    },
  ],
}
