import type { DocTable } from './doc-table.ts'
import type { IndexedDoc } from './types.ts'

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** A row seen through its columns. Moving one view over many rows makes no garbage. */
export class DocView implements IndexedDoc {
  readonly #table: DocTable
  doc: number

  constructor(table: DocTable, doc: number) {
    this.#table = table
    this.doc = doc
  }

  get memoryId(): string {
    return this.#table.memoryIds[this.doc]!
  }
  get org(): string {
    return this.#table.org
  }
  get namespace(): string {
    return this.#table.namespace
  }
  get agent(): string {
    return this.#table.strings.value(this.#table.columns.agent[this.doc]!)
  }
  get userId(): string {
    return this.#table.strings.value(this.#table.columns.userId[this.doc]!)
  }
  get sessionId(): string {
    return this.#table.strings.value(this.#table.columns.sessionId[this.doc]!)
  }
  get runId(): string {
    return this.#table.strings.value(this.#table.columns.runId[this.doc]!)
  }
  get memoryKey(): string {
    return this.#table.keys[this.doc]!
  }
  get memoryType(): string {
    return this.#table.strings.value(this.#table.columns.memoryType[this.doc]!)
  }
  get status(): string {
    return this.#table.strings.value(this.#table.columns.status[this.doc]!)
  }
  get sourceClass(): string {
    return this.#table.strings.value(this.#table.columns.sourceClass[this.doc]!)
  }
  get confidence(): number {
    return this.#table.columns.confidence[this.doc]!
  }
  get pinned(): boolean {
    return this.#table.isPinned(this.doc)
  }
  get version(): bigint {
    return this.#table.columns.version[this.doc]!
  }
  get createdAt(): number {
    return this.#table.columns.createdAt[this.doc]!
  }
  get validAt(): number | null {
    return orNull(this.#table.columns.validAt[this.doc]!)
  }
  get updatedAt(): number {
    return this.#table.columns.updatedAt[this.doc]!
  }
  get expiresAt(): number | null {
    return orNull(this.#table.columns.expiresAt[this.doc]!)
  }
  get validTo(): number | null {
    return orNull(this.#table.columns.validTo[this.doc]!)
  }
  get tags(): readonly string[] {
    return this.#table.tags[this.doc]!
  }
  get entities(): readonly string[] {
    return this.#table.entities[this.doc]!
  }
  get actor(): string {
    return this.#table.strings.value(this.#table.columns.actor[this.doc]!)
  }
  get keyIndexed(): boolean {
    return this.#table.isKeyIndexed(this.doc)
  }
  get position(): number {
    return this.#table.columns.position[this.doc]!
  }
  get searchable(): boolean {
    return this.#table.isSearchable(this.doc)
  }
}

const DOC_FIELDS = [
  'memoryId',
  'org',
  'namespace',
  'agent',
  'userId',
  'sessionId',
  'runId',
  'memoryKey',
  'memoryType',
  'status',
  'sourceClass',
  'confidence',
  'pinned',
  'version',
  'createdAt',
  'validAt',
  'updatedAt',
  'expiresAt',
  'validTo',
  'tags',
  'entities',
  'actor',
  'keyIndexed',
  'position',
  'searchable',
] as const satisfies readonly (keyof IndexedDoc)[]

/** What is known of a document, as values of their own: what a view shows changes with the index. */
export function snapshotOf(table: DocTable, doc: number): IndexedDoc {
  const view = new DocView(table, doc)
  return Object.fromEntries(DOC_FIELDS.map((name) => [name, view[name]])) as unknown as IndexedDoc
}
