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

const LINKS: ExportedTable = {
  kind: 'link',
  from: `loom.memory_link t JOIN loom.memory a ON a.org = t.org AND a.memory_id = t.from_id JOIN loom.memory b ON b.org = t.org AND b.memory_id = t.to_id`,
  where: `${OWN} AND a.erased_by = '' AND b.erased_by = ''`,
  key: [
    ['from_id', 'text'],
    ['to_id', 'text'],
    ['relation', 'text'],
  ],
  also: 'a.memory_key AS from_key, b.memory_key AS to_key',
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
    { kind: 'shared', from: 'loom.memory_shelf t', where: OWN, key: [['memory_key', 'text']], json: ['value'] },
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
        ['message_id', 'text'],
      ],
      json: ['metadata'],
    },
  ],
  runs: [
    { kind: 'run', from: 'loom.run t', where: OWN, key: [['run_id', 'text']], json: ['metadata'] },
    { kind: 'event', from: 'loom.run_event t', where: `${OWN} AND t.run_id <> ''`, key: [['event_id', 'text']] },
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
