import type { WriteContext } from '../handler.ts'
import { writeAudit } from '../store/audit.ts'
import type { Document } from '../store/documents.ts'

/** One audit row of a changed document: its key and its hash, and nothing that it says. */
export async function auditDocument(
  op: string,
  row: Pick<
    Document,
    'org' | 'namespace' | 'agent' | 'user_id' | 'session_id' | 'collection' | 'document_key' | 'content_sha256' | 'source_class' | 'run_id'
  >,
  version: bigint,
  { tx, now, actor, caller }: WriteContext,
): Promise<void> {
  const { org, namespace, agent, user_id, session_id, content_sha256, source_class, run_id } = row
  const subject = `document:${agent}/${user_id}/${session_id}/${row.collection}/${row.document_key}`
  const place = { org, namespace, agent, user_id, session_id }
  await writeAudit(tx, [
    { op, at: now, ...place, actor, requestId: caller.requestId, subject, version, content_sha256, source_class, run_id },
  ])
}
