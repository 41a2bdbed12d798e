import type { Output } from '../../../contract/declare.ts'
import { knowledgeDelete as contract } from '../../../contract/ops/knowledge/delete.ts'
import { defineWrite } from '../../handler.ts'
import { auditDocument } from '../../library/document-audit.ts'
import { passDocument } from '../../library/document-plan.ts'
import { tellWritten } from '../../library/written.ts'
import { documentLock, findDocument, tombstoneDocument } from '../../store/documents.ts'
import { lockKeys } from '../../store/memories.ts'
import { seenBy, toldAt } from '../../store/runs.ts'

export const knowledgeDelete = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, caller, parts } = context
    const access = seenBy(caller, 'd')
    const seen = await findDocument(tx, input, access, context)
    if (!seen) return { found: false, deleted: false, chunks_removed: 0 }
    await lockKeys(tx, parts.database.kind, [documentLock(seen)])
    // Who waited for the lock sees what was written meanwhile.
    const row = await findDocument(tx, { document_id: seen.document_id, collection: seen.collection }, access, context)
    if (!row) return { found: false, deleted: false, chunks_removed: 0 }
    passDocument(input.if_match_sha256, row)
    tellWritten(tx, row, row.content_sha256)
    const version = parts.versions.next(row.version)
    await tombstoneDocument(tx, row, version, toldAt(context))
    await auditDocument(contract.name, row, version, context)
    context.emit({ type: 'knowledge.changed', org: row.org, namespace: row.namespace })
    return { found: true, deleted: true, chunks_removed: row.chunks }
  },
})
