import type { CallContext, WriteContext } from '../handler.ts'
import { objectName } from '../objects/object-store.ts'
import { addChunks, dropChunks, outlineOf, putChunkVectors, type ChunkVector } from '../store/document-chunks.ts'
import { newDocumentId, putDocument, type Document } from '../store/documents.ts'
import { touchNamespace } from '../store/namespaces.ts'
import { toldAt } from '../store/runs.ts'
import { auditDocument } from './document-audit.ts'
import type { DocumentPlan } from './document-plan.ts'

/** A document ready to be put in place. */
export interface ReadyDocument {
  readonly plan: DocumentPlan
  /** Null: a job makes them. */
  readonly made: { readonly model: string; readonly vectors: readonly ChunkVector[] } | null
  /** Name of the object that holds the original; "" where none was put. */
  readonly object: string
}

/** The original bytes are durable before a row names them. */
export async function keepOriginal({ place, bytes }: DocumentPlan, { parts }: CallContext): Promise<string> {
  const name = objectName(place)
  await parts.objects.put(name, bytes)
  return name
}

/** Puts the document, its chunks and vectors in place of what the key held. Answers its id. */
export async function storeDocument(
  op: string,
  { plan, made, object }: ReadyDocument,
  before: Document | null,
  version: bigint,
  context: WriteContext,
): Promise<string> {
  const { tx, identity, actor } = context
  const { place, read, format, title, source, metadata, sensitivity, stated } = plan
  const { agent, session_id } = identity
  const at = toldAt(context)
  const document_id = before?.document_id ?? (await newDocumentId(tx, place))
  await touchNamespace(tx, place.org, place.namespace, context.now)
  if (before) await dropChunks(tx, place.org, document_id)
  const row = {
    ...place,
    document_id,
    title,
    format,
    source,
    tags: [...plan.tags],
    metadata,
    sensitivity,
    sensitivity_stated: stated,
    content_sha256: read.sha256,
    object,
    text: read.text,
    outline: outlineOf(plan.chunks),
    chars: read.text.length,
    chunks: plan.chunks.length,
    pages: read.pages,
    version,
    agent,
    session_id,
    actor,
    source_class: plan.sourceClass,
    run_id: plan.runId,
    created_at: before && before.tombstoned_at === null ? before.created_at : at,
    updated_at: at,
    tombstoned_at: null,
  }
  await putDocument(tx, row, (before?.rev ?? -1n) + 1n)
  await addChunks(tx, place.org, document_id, plan.chunks)
  if (made) await putChunkVectors(tx, place.org, document_id, made.model, made.vectors)
  await auditDocument(op, row, version, context)
  return document_id
}

/** Removes an original that no row names, once the transaction has ended; what cannot be removed now goes with the sweep. */
export function forgetOriginal(name: string, { parts }: CallContext): void {
  if (name === '') return
  void parts.objects.remove(name).catch((err: unknown) => parts.log.warn({ err }, 'an original that nothing names stays for the sweep'))
}
