import type { Output } from '../../../contract/declare.ts'
import { knowledgeAdd as contract } from '../../../contract/ops/knowledge/add.ts'
import { defineWrite } from '../../handler.ts'
import { EMBED_DOCUMENTS } from '../../jobs/embed-documents.ts'
import {
  embeddedTexts,
  isSameDocument,
  passDocument,
  planDocument,
  searchedChunks,
  sectionsOf,
  type DocumentPlan,
} from '../../library/document-plan.ts'
import { forgetOriginal, keepOriginal, storeDocument, type ReadyDocument } from '../../library/put-document.ts'
import { tellWritten } from '../../library/written.ts'
import { lacksVectors } from '../../store/document-chunks.ts'
import { documentAt, documentLock, isNamed, newDocumentId } from '../../store/documents.ts'
import { lockKeys } from '../../store/memories.ts'
import { vectorsOf } from '../../write/embed.ts'

type Answer = Output<typeof contract>

/** Chunks that a call embeds before it answers; more are left to the job. */
const MOST_EMBEDDED = 64
const MOST_SECTIONS = 200

function answerOf(
  plan: DocumentPlan,
  told: Pick<Answer, 'document_id' | 'version' | 'created' | 'noop' | 'embedded' | 'degraded' | 'dry_run'>,
): Answer {
  const { document_key, collection } = plan.place
  const { title, format, chunks, read } = plan
  return {
    ...told,
    document_key,
    collection,
    title,
    format,
    content_sha256: read.sha256,
    version_text: told.version.toString(),
    chunks_written: told.noop || told.dry_run ? 0 : chunks.length,
    sections: sectionsOf(chunks, MOST_SECTIONS),
    chunks_withheld: chunks.length - searchedChunks(chunks).length,
  }
}

export const knowledgeAdd = defineWrite(contract, {
  async prepare(input, context): Promise<ReadyDocument> {
    const plan = await planDocument(input, context)
    const live = await documentAt(context.db, plan.place)
    if (input.dry_run || isSameDocument(plan, live)) return { plan, made: null, object: '' }
    const searched = searchedChunks(plan.chunks)
    const few = searched.length <= MOST_EMBEDDED
    const embedded = few && searched.length > 0 ? await vectorsOf(embeddedTexts(plan.title, searched), context) : null
    const vectors = searched.flatMap(({ index }, at) => {
      const vector = embedded?.vectors[at]
      return vector ? [{ index, vector }] : []
    })
    return { plan, made: embedded && { model: embedded.model, vectors }, object: await keepOriginal(plan, context) }
  },

  async run(input, context, prepared): Promise<Answer> {
    const { tx, parts } = context
    const { plan, made, object } = prepared
    // A commit whose answer was lost may have come through.
    context.afterRollback(async (ended) => {
      if (!(await isNamed(ended, plan.place.org, object))) forgetOriginal(object, context)
    })
    await lockKeys(tx, parts.database.kind, [documentLock(plan.place)])
    const before = await documentAt(tx, plan.place)
    passDocument(input.if_match_sha256, before)
    const created = before === null || before.tombstoned_at !== null
    const degraded = [...context.degraded]
    if (before && isSameDocument(plan, before)) {
      context.afterCommit(() => forgetOriginal(object, context))
      const { document_id, version } = before
      const embedded = !(await lacksVectors(tx, before.org, document_id))
      return answerOf(plan, { document_id, version, created: false, noop: true, embedded, degraded, dry_run: input.dry_run })
    }
    const version = parts.versions.next(before?.version)
    const embedded = made !== null || searchedChunks(plan.chunks).length === 0
    if (input.dry_run) {
      const document_id = before?.document_id ?? (await newDocumentId(tx, plan.place))
      return answerOf(plan, { document_id, version, created, noop: false, embedded: false, degraded, dry_run: true })
    }
    // Another call changed since the preparation what then was the same document.
    const kept = object === '' ? await keepOriginal(plan, context) : object
    tellWritten(tx, context.identity, created ? '' : before.content_sha256)
    const document_id = await storeDocument(contract.name, { ...prepared, object: kept }, before, version, context)
    const { org, namespace } = plan.place
    context.emit({ type: 'knowledge.changed', org, namespace })
    context.afterCommit(() => {
      forgetOriginal(before?.object ?? '', context)
      if (!embedded) parts.wake(EMBED_DOCUMENTS)
    })
    return answerOf(plan, { document_id, version, created, noop: false, embedded, degraded, dry_run: false })
  },
})
