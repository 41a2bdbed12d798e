import { sql, type Insertable, type RawBuilder, type Selectable } from 'kysely'
import { LoomError } from '../../contract/errors.ts'
import { parseJson } from '../../contract/json.ts'
import type { DocumentView } from '../../contract/knowledge.ts'
import type { Json } from '../../domain/claim/json.ts'
import { compactJson } from '../../domain/claim/stored-form.ts'
import type { Caller } from '../caller.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { CallContext } from '../handler.ts'
import { boundOf, type Identity } from '../identity.ts'
import { MOST_CANDIDATES, severalNamed } from './resolve.ts'
import { seenBy } from './runs.ts'
import { sha256 } from './sha256.ts'

/** A document without its text, which may be long. */
export type Document = Omit<Selectable<Tables['knowledge_document']>, 'text' | 'outline'>

const COLUMNS = sql.raw(
  `d.org, d.namespace, d.user_id, d.document_id, d.collection, d.document_key, d.title, d.format, d.source, d.tags, d.metadata, d.sensitivity,
   d.sensitivity_stated, d.content_sha256, d.object, d.chars, d.chunks, d.pages, d.version, d.agent, d.session_id, d.actor, d.source_class,
   d.run_id, d.created_at, d.updated_at, d.tombstoned_at, d.rev,
   d.erasure_seq, d.erased_by, d.index_rev`,
)

export interface DocumentPlace extends Pick<Identity, 'org' | 'namespace' | 'user_id'> {
  readonly collection: string
  readonly document_key: string
}

export const documentLock = ({ org, namespace, user_id, collection, document_key }: DocumentPlace): string =>
  `document:${org}/${namespace}/${user_id}/${collection}/${document_key}`

/**
 * Id of a document, the same on every host that makes it: what a device added offline is the server's document when it
 * comes there. An id that an erasure left behind is not used again.
 */
export async function newDocumentId(db: Queryable, place: DocumentPlace): Promise<string> {
  const { org, namespace, user_id, collection, document_key } = place
  const { rows } = await sql<{ erased: number }>`SELECT count(*)::int AS erased FROM loom.knowledge_document
    WHERE org = ${org} AND namespace = ${namespace} AND user_id = ${user_id} AND collection = ${collection}
      AND document_key = ${document_key} AND erased_by <> ''`.execute(db)
  const name = compactJson([org, namespace, user_id, collection, document_key, rows[0]?.erased ?? 0])
  return `d_${sha256(name).slice(0, 24)}`
}

/** The document at a place, deleted or not: its next version follows it. */
export async function documentAt(db: Queryable, place: DocumentPlace): Promise<Document | null> {
  const { org, namespace, user_id, collection, document_key } = place
  const { rows } = await sql<Document>`SELECT ${COLUMNS} FROM loom.knowledge_document d WHERE d.org = ${org} AND d.namespace = ${namespace}
    AND d.user_id = ${user_id} AND d.collection = ${collection} AND d.document_key = ${document_key} AND d.erased_by = ''`.execute(db)
  return rows[0] ?? null
}

/** A condition on documents `d`: those that a bound token may read, its user's and everybody's. */
export function readableBy(caller: Caller): RawBuilder<boolean> {
  const shared = boundOf(caller).user_id === undefined ? sql<boolean>`false` : sql<boolean>`d.user_id = '-'`
  return sql<boolean>`(${seenBy(caller, 'd')} OR ${shared})`
}

/** Live documents of the namespace that the fields of the call leave. */
export function inScope({ identity, given }: Pick<CallContext, 'identity' | 'given'>): RawBuilder<boolean>[] {
  const { agent, user_id, session_id } = given
  const named = Object.entries({ agent, user_id, session_id }).filter(([, value]) => value !== undefined)
  return [
    sql<boolean>`d.org = ${identity.org}`,
    sql<boolean>`d.namespace = ${identity.namespace}`,
    sql<boolean>`d.tombstoned_at IS NULL AND d.erased_by = ''`,
    ...named.map(([field, value]) => sql<boolean>`${sql.ref(`d.${field}`)} = ${value}`),
  ]
}

export interface Named {
  readonly document_id?: string | undefined
  readonly document_key?: string | undefined
  readonly collection: string
}

/**
 * The document that a call names, or null.
 * @param access which documents the caller may touch, over `d`
 * @throws LoomError INVALID_ARGUMENT unless exactly one is named, AMBIGUOUS_KEY where several users have one of the key
 */
export async function findDocument(
  db: Queryable,
  named: Named,
  access: RawBuilder<boolean>,
  context: CallContext,
): Promise<Document | null> {
  if ((named.document_id === undefined) === (named.document_key === undefined))
    throw new LoomError('INVALID_ARGUMENT', 'Name the document by exactly one of document_id and document_key.', { field: 'document_id' })
  const which =
    named.document_id === undefined
      ? sql<boolean>`d.collection = ${named.collection} AND d.document_key = ${named.document_key ?? ''}`
      : sql<boolean>`d.document_id = ${named.document_id}`
  const where = sql.join([...inScope(context), access, which], sql` AND `)
  const { rows } =
    await sql<Document>`SELECT ${COLUMNS} FROM loom.knowledge_document d WHERE ${where} ORDER BY d.user_id LIMIT ${MOST_CANDIDATES + 1}`.execute(
      db,
    )
  if (rows.length <= 1) return rows[0] ?? null
  // A user's own stands before everybody's.
  const own = rows.filter((row) => row.user_id === context.identity.user_id)
  if (own.length === 1 && own[0]) return own[0]
  const message = `${rows.length} documents have the key ${named.document_key}. Name user_id, or use one of the ids.`
  throw severalNamed(message, rows, ['document_key', 'document_id'])
}

export async function textOf(db: Queryable, { org, document_id }: Document): Promise<string> {
  const { rows } = await sql<{
    text: string
  }>`SELECT text FROM loom.knowledge_document WHERE org = ${org} AND document_id = ${document_id}`.execute(db)
  return rows[0]?.text ?? ''
}

/** One page of documents that hold `conditions`, over `d`. */
export async function documentPage(
  db: Queryable,
  conditions: readonly RawBuilder<boolean>[],
  order: RawBuilder<unknown>,
  limit: number,
): Promise<Document[]> {
  const { rows } = await sql<Document>`SELECT ${COLUMNS} FROM loom.knowledge_document d
    WHERE ${sql.join([...conditions], sql` AND `)} ORDER BY ${order} LIMIT ${limit}`.execute(db)
  return rows
}

export async function documentsById(db: Queryable, org: string, ids: readonly string[]): Promise<Map<string, Document>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Document>`SELECT ${COLUMNS} FROM loom.knowledge_document d WHERE d.org = ${org}
    AND d.document_id = any(${[...ids]}::text[]) AND d.tombstoned_at IS NULL AND d.erased_by = ''`.execute(db)
  return new Map(rows.map((row) => [row.document_id, row]))
}

/** Whether a document has this original. */
export async function isNamed(db: Queryable, org: string, object: string): Promise<boolean> {
  const { rows } = await sql<{ named: boolean }>`SELECT EXISTS (SELECT 1 FROM loom.knowledge_document
    WHERE org = ${org} AND object <> '' AND object = ${object}) AS named`.execute(db)
  return rows[0]?.named ?? false
}

/** Puts a document in place of whatever has its id. */
export async function putDocument(
  tx: Tx,
  row: Omit<Insertable<Tables['knowledge_document']>, 'index_rev' | 'rev'>,
  rev: bigint,
): Promise<void> {
  const { org: _org, document_id: _id, created_at: _created, ...changes } = row
  await tx
    .insertInto('knowledge_document')
    .values({ ...row, rev })
    .onConflict((conflict) =>
      conflict.columns(['org', 'document_id']).doUpdateSet({ ...changes, rev, index_rev: sql<bigint>`nextval('loom.index_rev')` }),
    )
    .execute()
}

/** Takes a document out of every read. */
export async function tombstoneDocument(tx: Tx, { org, document_id, rev }: Document, version: bigint, now: Date): Promise<void> {
  await sql`UPDATE loom.knowledge_document SET tombstoned_at = ${now}, version = ${version}, updated_at = ${now}, rev = ${rev + 1n},
    index_rev = nextval('loom.index_rev') WHERE org = ${org} AND document_id = ${document_id}`.execute(tx)
}

export function documentView(row: Document): DocumentView {
  const {
    document_id,
    document_key,
    collection,
    title,
    source,
    tags,
    content_sha256,
    chars,
    chunks,
    pages,
    version,
    agent,
    user_id,
    actor,
  } = row
  return {
    document_id,
    document_key,
    collection,
    title,
    format: row.format as DocumentView['format'],
    source,
    tags,
    metadata: parseJson(row.metadata) as Json,
    sensitivity: row.sensitivity as DocumentView['sensitivity'],
    content_sha256,
    chars,
    chunks,
    pages,
    version,
    version_text: version.toString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    agent,
    user_id,
    actor,
    source_class: row.source_class as DocumentView['source_class'],
  }
}
