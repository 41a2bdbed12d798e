/**
 * The shapes that a server serves and a desktop follows: names on the wire, columns, keys. Pure data, for both sides.
 * A shape's rows lie in the table of the same columns; values travel as Postgres text and are cast by column type.
 */

/** A type of Postgres, as its catalog names it. */
export type ColumnType = 'text' | 'int4' | 'int8' | 'float8' | 'bool' | 'timestamptz' | 'jsonb'

export interface ShapeColumn {
  readonly name: string
  readonly type: ColumnType
  /** 1 for an array of `type`. */
  readonly dims?: 1
  readonly nullable?: true
}

export interface ShapeDefinition {
  /** Schema and table of the rows; names them in every message. */
  readonly relation: readonly [schema: string, table: string]
  readonly columns: readonly ShapeColumn[]
  /** Columns of the key, in order. */
  readonly key: readonly string[]
  /** Rows that an erasure takes: the handle rotates when its filter meets the scope. */
  readonly content: boolean
}

const column =
  (type: ColumnType, more: Pick<ShapeColumn, 'dims' | 'nullable'> = {}) =>
  (...names: readonly string[]): ShapeColumn[] =>
    names.map((name) => ({ name, type, ...more }))

const text = column('text')
const texts = column('text', { dims: 1 })
const int8 = column('int8')
const int4 = column('int4')
const float8 = column('float8')
const bool = column('bool')
const time = column('timestamptz')
const maybeText = column('text', { nullable: true })
const maybeInt8 = column('int8', { nullable: true })
const maybeFloat8 = column('float8', { nullable: true })
const maybeTime = column('timestamptz', { nullable: true })

const IDENTITY = text('org', 'namespace', 'agent', 'user_id', 'session_id', 'memory_key', 'memory_id')

/** What a head and a version share. `excerpt` and `canonical_sha256` spare a device the work of making them anew. */
const CONTENT = [
  ...int8('version'),
  ...maybeText('value'),
  ...text('excerpt', 'memory_type', 'status', 'conflict_verdict', 'sensitivity'),
  ...bool('sensitivity_stated'),
  ...text('content_sha256', 'canonical_sha256'),
  ...texts('tags', 'entities', 'files'),
  ...float8('confidence'),
  ...maybeTime('valid_at', 'valid_to', 'temporal_anchor'),
  ...maybeFloat8('temporal_confidence'),
  ...maybeTime('expires_at'),
  ...text('on_expire', 'expire_reason'),
  ...bool('expiry_cleared'),
  ...text('actor', 'source_class', 'source_trace', 'source_resource_id', 'run_id', 'superseded_by'),
  ...maybeTime('superseded_at'),
  ...text('duplicate_of', 'canonical_key'),
  ...maybeTime('invalid_at', 'tombstoned_at'),
  ...bool('redacted'),
  ...int4('chunks'),
  ...time('created_at', 'updated_at'),
  ...maybeTime('server_recorded_at'),
  ...bool('provisional'),
  ...int8('erasure_seq'),
  ...text('change_id', 'device_id'),
]

const GUARDS = [
  ...bool('pinned'),
  ...column('int4', { nullable: true })('char_limit'),
  ...text('lock_mode', 'lock_reason', 'locked_by'),
  ...maybeTime('lock_until'),
  ...text('lock_actor'),
  ...maybeTime('locked_at'),
  ...text('verified_by'),
  ...maybeTime('verified_at'),
  ...text('verified_sha256'),
]

/** Every shape served today, by its name on the wire (`table` of GET /v1/shape). */
export const SHAPES = {
  erasures: {
    relation: ['loom', 'erasure_fence'],
    key: ['org', 'seq', 'namespace'],
    content: false,
    columns: [
      ...text('org'),
      ...int8('seq'),
      ...text('namespace', 'erasure_id', 'user_sha256', 'collection'),
      ...bool('purge'),
      ...time('requested_at'),
    ],
  },
  namespaces: {
    relation: ['loom', 'namespace'],
    key: ['org', 'namespace'],
    content: false,
    columns: [...text('org', 'namespace'), ...bool('registered'), ...column('jsonb')('settings'), ...time('created_at', 'updated_at')],
  },
  categories: {
    relation: ['loom', 'namespace_category'],
    key: ['org', 'namespace', 'category_key'],
    content: false,
    columns: [
      ...text('org', 'namespace', 'category_key', 'category', 'description'),
      ...bool('retired'),
      ...text('actor'),
      ...time('created_at', 'updated_at'),
    ],
  },
  schemas: {
    relation: ['loom', 'memory_schema'],
    key: ['org', 'namespace', 'schema', 'version'],
    content: false,
    columns: [
      ...text('org', 'namespace', 'schema'),
      ...int4('version'),
      ...text('status', 'description', 'fields'),
      ...time('created_at'),
      ...text('actor'),
      ...maybeTime('decided_at'),
      ...text('decided_by', 'reason'),
    ],
  },
  blacklist: {
    relation: ['loom', 'blacklist'],
    key: ['org', 'blacklist_id'],
    content: false,
    // Not how often it hit: that is counted on each host.
    columns: [
      ...text('org', 'blacklist_id', 'namespace', 'scope', 'pattern_type', 'pattern', 'reason', 'created_by', 'actor'),
      ...time('created_at'),
    ],
  },
  memory: {
    relation: ['loom', 'memory'],
    key: ['org', 'memory_id'],
    content: true,
    columns: [...IDENTITY, ...CONTENT, ...GUARDS, ...int8('rev')],
  },
  versions: {
    relation: ['loom', 'memory_version'],
    key: ['org', 'memory_id', 'version'],
    content: true,
    columns: [
      ...IDENTITY,
      ...CONTENT,
      ...text('op'),
      ...bool('lost'),
      ...text('retired_cause', 'retired_reason'),
      ...maybeFloat8('retired_confidence'),
      ...maybeInt8('retired_by_version'),
    ],
  },
  links: {
    relation: ['loom', 'memory_link'],
    key: ['org', 'from_id', 'to_id', 'relation'],
    content: true,
    columns: [...text('org', 'namespace', 'from_id', 'to_id', 'relation', 'note', 'actor'), ...time('at'), ...int8('erasure_seq')],
  },
  relations: {
    relation: ['loom', 'memory_relation'],
    key: ['org', 'memory_id', 'position'],
    content: true,
    columns: [...text('org', 'memory_id'), ...int4('position'), ...text('subject', 'predicate', 'object'), ...int8('erasure_seq')],
  },
  category_links: {
    relation: ['loom', 'memory_category'],
    key: ['org', 'namespace', 'memory_key', 'category_key'],
    content: true,
    columns: [
      ...text('org', 'namespace', 'memory_key', 'category_key', 'actor'),
      ...time('at'),
      ...maybeTime('rescinded_at'),
      ...int8('erasure_seq'),
    ],
  },
  shelf: {
    relation: ['loom', 'memory_shelf'],
    key: ['org', 'namespace', 'memory_key'],
    content: true,
    columns: [
      ...text('org', 'namespace', 'memory_key', 'from_namespace', 'agent', 'user_id', 'session_id', 'memory_id'),
      ...int8('version'),
      ...text('value', 'content_sha256', 'memory_type', 'sensitivity'),
      ...texts('tags', 'entities'),
      ...text('note', 'actor'),
      ...time('at'),
      ...int8('erasure_seq'),
    ],
  },
  pairs: {
    relation: ['loom', 'memory_pair'],
    key: ['org', 'pair_id'],
    content: true,
    columns: [
      ...text('org', 'pair_id', 'namespace', 'kind', 'state', 'row_id', 'peer_id', 'relation'),
      ...float8('similarity'),
      ...text('reason'),
      ...float8('confidence'),
      ...bool('unsure'),
      ...text('origin', 'judge_version'),
      ...time('at'),
      ...text('resolution', 'settled_by'),
      ...maybeTime('settled_at'),
      ...text('row_sha256', 'peer_sha256', 'undo'),
      ...maybeInt8('peer_version'),
      ...int8('erasure_seq'),
    ],
  },
  records: {
    relation: ['loom', 'memory_record_version'],
    key: ['org', 'record_id', 'version'],
    content: true,
    columns: [
      ...text('org', 'namespace', 'schema', 'user_id', 'record_key', 'record_id'),
      ...int8('version'),
      ...int4('schema_version'),
      ...text('fields'),
      ...column('jsonb')('vals', 'folds', 'states'),
      ...texts('changed'),
      ...text('content_sha256', 'key_source'),
      ...bool('tombstoned'),
      ...text('agent', 'session_id', 'run_id', 'actor', 'source_class', 'source_trace', 'source_resource_id', 'reason'),
      ...time('created_at', 'first_created_at'),
      ...bool('provisional'),
      ...int8('erasure_seq'),
      ...text('change_id', 'device_id'),
    ],
  },
  documents: {
    relation: ['loom', 'knowledge_document'],
    key: ['org', 'document_id'],
    content: true,
    // Not the original: a device that needs it asks the server for it.
    columns: [
      ...text('org', 'namespace', 'user_id', 'document_id', 'collection', 'document_key', 'title', 'format', 'source'),
      ...texts('tags'),
      ...text('metadata', 'sensitivity'),
      ...bool('sensitivity_stated'),
      ...text('content_sha256', 'text', 'outline'),
      ...int4('chars', 'chunks'),
      ...column('int4', { nullable: true })('pages'),
      ...int8('version'),
      ...text('agent', 'session_id', 'actor', 'source_class', 'run_id'),
      ...time('created_at', 'updated_at'),
      ...maybeTime('tombstoned_at'),
      ...int8('rev', 'erasure_seq'),
    ],
  },
  threads: {
    relation: ['loom', 'conversation_thread'],
    key: ['org', 'namespace', 'thread_id', 'user_id'],
    content: true,
    columns: [
      ...text('org', 'namespace', 'user_id', 'thread_id', 'title', 'metadata', 'sensitivity'),
      ...int4('messages'),
      ...int8('last_seq'),
      ...maybeTime('first_at', 'last_at'),
      ...text('agent', 'session_id', 'actor'),
      ...time('created_at', 'updated_at'),
      ...maybeTime('tombstoned_at'),
      ...int8('rev', 'erasure_seq'),
    ],
  },
  messages: {
    relation: ['loom', 'conversation_message'],
    key: ['org', 'namespace', 'thread_id', 'user_id', 'message_id'],
    content: true,
    columns: [
      ...text('org', 'namespace', 'user_id', 'thread_id', 'message_id'),
      ...int8('seq'),
      ...text('role', 'name', 'content'),
      ...time('at'),
      ...text('sensitivity', 'own_sensitivity', 'metadata', 'run_id', 'agent', 'session_id', 'actor'),
      ...time('created_at'),
      ...maybeTime('tombstoned_at'),
      ...int8('rev', 'erasure_seq'),
    ],
  },
} as const satisfies Record<string, ShapeDefinition>

export type ShapeName = keyof typeof SHAPES

export function isShapeName(name: string): name is ShapeName {
  return Object.hasOwn(SHAPES, name)
}
