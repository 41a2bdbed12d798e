import {
  bool,
  column,
  float8,
  int4,
  int8,
  maybeFloat8,
  maybeInt8,
  maybeText,
  maybeTime,
  text,
  texts,
  time,
  type ShapeDefinition,
} from './columns.ts'
import { WORK_SHAPES } from './work-shapes.ts'

/**
 * The shapes that a server serves and a desktop follows: names on the wire, columns, keys. Pure data, for both sides.
 * A shape's rows lie in the table of the same columns; values travel as Postgres text and are cast by column type.
 */

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
  evidence: {
    relation: ['loom', 'memory_summary'],
    key: ['org', 'memory_id', 'version', 'source_id'],
    content: true,
    // What a version was built from: the one place of those a memory comes from that no other shape tells.
    columns: [...text('org', 'memory_id'), ...int8('version'), ...text('source_id'), ...int8('erasure_seq')],
  },
  reviews: {
    relation: ['loom', 'learning_review'],
    key: ['org', 'memory_id'],
    content: true,
    columns: [
      ...text('org', 'memory_id', 'namespace', 'review', 'content_sha256', 'reviewed_by'),
      ...maybeTime('reviewed_at'),
      ...text('reason'),
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
  ...WORK_SHAPES,
} as const satisfies Record<string, ShapeDefinition>

export type ShapeName = keyof typeof SHAPES

export function isShapeName(name: string): name is ShapeName {
  return Object.hasOwn(SHAPES, name)
}
