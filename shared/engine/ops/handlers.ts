import type { OpContract } from '../../contract/declare.ts'
import type { OpName } from '../../contract/registry.ts'
import { auditList } from './audit/list.ts'
import { backupCreate } from './backup/create.ts'
import { backupList } from './backup/list.ts'
import { backupRestore } from './backup/restore.ts'
import { blacklistAdd } from './blacklist/add.ts'
import { blacklistList } from './blacklist/list.ts'
import { blacklistRemove } from './blacklist/remove.ts'
import { blacklistSweep } from './blacklist/sweep.ts'
import { collectionDelete } from './collection/delete.ts'
import { collectionList } from './collection/list.ts'
import { conflictsList } from './conflicts/list.ts'
import { conflictsResolve } from './conflicts/resolve.ts'
import { contextPack } from './context/pack.ts'
import { conversationAppend } from './conversation/append.ts'
import { conversationDelete } from './conversation/delete.ts'
import { conversationGet } from './conversation/get.ts'
import { conversationList } from './conversation/list.ts'
import { conversationSearch } from './conversation/search.ts'
import { decisionRecord } from './decision/record.ts'
import { deviceList } from './device/list.ts'
import { deviceRegister } from './device/register.ts'
import { deviceRevoke } from './device/revoke.ts'
import { engineInfo } from './engine/info.ts'
import { erasureExport } from './erasure/export.ts'
import { erasureList } from './erasure/list.ts'
import { erasurePreview } from './erasure/preview.ts'
import { erasureReceipt } from './erasure/receipt.ts'
import { erasureRequest } from './erasure/request.ts'
import { erasureStatus } from './erasure/status.ts'
import { knowledgeAdd } from './knowledge/add.ts'
import { knowledgeDelete } from './knowledge/delete.ts'
import { knowledgeGet } from './knowledge/get.ts'
import { knowledgeList } from './knowledge/list.ts'
import { knowledgeSearch } from './knowledge/search.ts'
import { learningDecide } from './learning/decide.ts'
import { learningQueue } from './learning/queue.ts'
import { learningRecord } from './learning/record.ts'
import { memoryAggregate } from './memory/aggregate.ts'
import { memoryApply } from './memory/apply.ts'
import { memoryAsk } from './memory/ask.ts'
import { memoryAssignCategory } from './memory/assign_category.ts'
import { memoryAutoRetirements } from './memory/auto_retirements.ts'
import { memoryBacklinks } from './memory/backlinks.ts'
import { memoryBulkSet } from './memory/bulk_set.ts'
import { memoryClear } from './memory/clear.ts'
import { memoryConsolidate } from './memory/consolidate.ts'
import { memoryCopyTo } from './memory/copy_to.ts'
import { memoryCrossPromote } from './memory/cross_promote.ts'
import { memoryDedupCollapse } from './memory/dedup_collapse.ts'
import { memoryDedupResolve } from './memory/dedup_resolve.ts'
import { memoryDelete } from './memory/delete.ts'
import { memoryDeleteVersion } from './memory/delete_version.ts'
import { memoryDemote } from './memory/demote.ts'
import { memoryDigests } from './memory/digests.ts'
import { memoryEvidence } from './memory/evidence.ts'
import { memoryForFile } from './memory/for_file.ts'
import { memoryGet } from './memory/get.ts'
import { memoryGetById } from './memory/get_by_id.ts'
import { memoryHistory } from './memory/history.ts'
import { memoryImport } from './memory/import.ts'
import { memoryImportCurated } from './memory/import_curated.ts'
import { memoryInspect } from './memory/inspect.ts'
import { memoryLink } from './memory/link.ts'
import { memoryList } from './memory/list.ts'
import { memoryLock } from './memory/lock.ts'
import { memoryMove } from './memory/move.ts'
import { memoryOutcome } from './memory/outcome.ts'
import { memoryOutcomeRun } from './memory/outcome_run.ts'
import { memoryPin } from './memory/pin.ts'
import { memoryPromote } from './memory/promote.ts'
import { memoryProposalDecide } from './memory/proposal_decide.ts'
import { memoryProposals } from './memory/proposals.ts'
import { memoryRecordConflicts } from './memory/record/conflicts.ts'
import { memoryRecordDelete } from './memory/record/delete.ts'
import { memoryRecordGet } from './memory/record/get.ts'
import { memoryRecordHistory } from './memory/record/history.ts'
import { memoryRecordQuery } from './memory/record/query.ts'
import { memoryRecordWrite } from './memory/record/write.ts'
import { memoryRedact } from './memory/redact.ts'
import { memoryReindex } from './memory/reindex.ts'
import { memoryReject } from './memory/reject.ts'
import { memoryRelated } from './memory/related.ts'
import { memoryResolveOrphanDuplicates } from './memory/resolve_orphan_duplicates.ts'
import { memoryRestore } from './memory/restore.ts'
import { memorySearch } from './memory/search.ts'
import { memorySearchTrace } from './memory/search_trace.ts'
import { memorySet } from './memory/set.ts'
import { memorySetFromMessages } from './memory/set_from_messages.ts'
import { memoryStats } from './memory/stats.ts'
import { memoryTimeline } from './memory/timeline.ts'
import { memoryTouch } from './memory/touch.ts'
import { memoryUnlock } from './memory/unlock.ts'
import { memoryUnpin } from './memory/unpin.ts'
import { memoryUpdate } from './memory/update.ts'
import { memoryUpdateById } from './memory/update_by_id.ts'
import { memoryVerify } from './memory/verify.ts'
import { memorySchemaApprove } from './memory_schema/approve.ts'
import { memorySchemaList } from './memory_schema/list.ts'
import { memorySchemaPropose } from './memory_schema/propose.ts'
import { memorySchemaRegister } from './memory_schema/register.ts'
import { namespaceAudit } from './namespace/audit.ts'
import { namespaceExport } from './namespace/export.ts'
import { namespaceGet } from './namespace/get.ts'
import { namespaceList } from './namespace/list.ts'
import { namespaceRegister } from './namespace/register.ts'
import { namespaceRegisterCategory } from './namespace/register_category.ts'
import { namespaceRestore } from './namespace/restore.ts'
import { namespaceRollback } from './namespace/rollback.ts'
import { namespaceSnapshot } from './namespace/snapshot.ts'
import { namespaceSnapshots } from './namespace/snapshots.ts'
import { namespaceTaxonomy } from './namespace/taxonomy.ts'
import { namespaceValidate } from './namespace/validate.ts'
import { pairCreate } from './pair/create.ts'
import { pairRedeem } from './pair/redeem.ts'
import { procedureRecord } from './procedure/record.ts'
import { profileSet } from './profile/set.ts'
import { reviewDismiss } from './review/dismiss.ts'
import { reviewQueue } from './review/queue.ts'
import { runComplete } from './run/complete.ts'
import { runEvent } from './run/event.ts'
import { runGet } from './run/get.ts'
import { runGrade } from './run/grade.ts'
import { runList } from './run/list.ts'
import { runStart } from './run/start.ts'
import { search } from './search.ts'
import { settingsGet } from './settings/get.ts'
import { settingsSet } from './settings/set.ts'
import { syncConnect } from './sync/connect.ts'
import { syncDisconnect } from './sync/disconnect.ts'
import { syncInbox } from './sync/inbox.ts'
import { syncInboxDecide } from './sync/inbox_decide.ts'
import { syncPush } from './sync/push.ts'
import { syncStatus } from './sync/status.ts'
import { tokenList } from './token/list.ts'
import { tokenMint } from './token/mint.ts'
import { tokenRevoke } from './token/revoke.ts'
import { webhookDeliveries } from './webhook/deliveries.ts'
import { webhookList } from './webhook/list.ts'
import { webhookRegister } from './webhook/register.ts'
import { webhookRemove } from './webhook/remove.ts'
import { webhookTest } from './webhook/test.ts'
import { workingMemoryAcquire } from './working_memory/acquire.ts'
import { workingMemoryDelete } from './working_memory/delete.ts'
import { workingMemoryGet } from './working_memory/get.ts'
import { workingMemoryList } from './working_memory/list.ts'
import { workingMemoryRelease } from './working_memory/release.ts'
import { workingMemorySet } from './working_memory/set.ts'

/** The handler of every operation of the contract's registry. Hand-written: a test checks it against the folder. */
export const HANDLERS = {
  'audit.list': auditList,
  'backup.create': backupCreate,
  'backup.list': backupList,
  'backup.restore': backupRestore,
  'blacklist.add': blacklistAdd,
  'blacklist.list': blacklistList,
  'blacklist.remove': blacklistRemove,
  'blacklist.sweep': blacklistSweep,
  'collection.delete': collectionDelete,
  'collection.list': collectionList,
  'conflicts.list': conflictsList,
  'conflicts.resolve': conflictsResolve,
  'context.pack': contextPack,
  'conversation.append': conversationAppend,
  'conversation.delete': conversationDelete,
  'conversation.get': conversationGet,
  'conversation.list': conversationList,
  'conversation.search': conversationSearch,
  'decision.record': decisionRecord,
  'device.list': deviceList,
  'device.register': deviceRegister,
  'device.revoke': deviceRevoke,
  'engine.info': engineInfo,
  'erasure.export': erasureExport,
  'erasure.list': erasureList,
  'erasure.preview': erasurePreview,
  'erasure.receipt': erasureReceipt,
  'erasure.request': erasureRequest,
  'erasure.status': erasureStatus,
  'knowledge.add': knowledgeAdd,
  'knowledge.delete': knowledgeDelete,
  'knowledge.get': knowledgeGet,
  'knowledge.list': knowledgeList,
  'knowledge.search': knowledgeSearch,
  'learning.decide': learningDecide,
  'learning.queue': learningQueue,
  'learning.record': learningRecord,
  'memory.aggregate': memoryAggregate,
  'memory.apply': memoryApply,
  'memory.ask': memoryAsk,
  'memory.assign_category': memoryAssignCategory,
  'memory.auto_retirements': memoryAutoRetirements,
  'memory.backlinks': memoryBacklinks,
  'memory.bulk_set': memoryBulkSet,
  'memory.clear': memoryClear,
  'memory.consolidate': memoryConsolidate,
  'memory.copy_to': memoryCopyTo,
  'memory.cross_promote': memoryCrossPromote,
  'memory.dedup_collapse': memoryDedupCollapse,
  'memory.dedup_resolve': memoryDedupResolve,
  'memory.delete': memoryDelete,
  'memory.delete_version': memoryDeleteVersion,
  'memory.demote': memoryDemote,
  'memory.digests': memoryDigests,
  'memory.evidence': memoryEvidence,
  'memory.for_file': memoryForFile,
  'memory.get': memoryGet,
  'memory.get_by_id': memoryGetById,
  'memory.history': memoryHistory,
  'memory.import': memoryImport,
  'memory.import_curated': memoryImportCurated,
  'memory.inspect': memoryInspect,
  'memory.link': memoryLink,
  'memory.list': memoryList,
  'memory.lock': memoryLock,
  'memory.move': memoryMove,
  'memory.outcome': memoryOutcome,
  'memory.outcome_run': memoryOutcomeRun,
  'memory.pin': memoryPin,
  'memory.promote': memoryPromote,
  'memory.proposal_decide': memoryProposalDecide,
  'memory.proposals': memoryProposals,
  'memory.record.conflicts': memoryRecordConflicts,
  'memory.record.delete': memoryRecordDelete,
  'memory.record.get': memoryRecordGet,
  'memory.record.history': memoryRecordHistory,
  'memory.record.query': memoryRecordQuery,
  'memory.record.write': memoryRecordWrite,
  'memory.redact': memoryRedact,
  'memory.reindex': memoryReindex,
  'memory.reject': memoryReject,
  'memory.related': memoryRelated,
  'memory.resolve_orphan_duplicates': memoryResolveOrphanDuplicates,
  'memory.restore': memoryRestore,
  'memory.search': memorySearch,
  'memory.search_trace': memorySearchTrace,
  'memory.set': memorySet,
  'memory.set_from_messages': memorySetFromMessages,
  'memory.stats': memoryStats,
  'memory.timeline': memoryTimeline,
  'memory.touch': memoryTouch,
  'memory.unlock': memoryUnlock,
  'memory.unpin': memoryUnpin,
  'memory.update': memoryUpdate,
  'memory.update_by_id': memoryUpdateById,
  'memory.verify': memoryVerify,
  'memory_schema.approve': memorySchemaApprove,
  'memory_schema.list': memorySchemaList,
  'memory_schema.propose': memorySchemaPropose,
  'memory_schema.register': memorySchemaRegister,
  'namespace.audit': namespaceAudit,
  'namespace.export': namespaceExport,
  'namespace.get': namespaceGet,
  'namespace.list': namespaceList,
  'namespace.register': namespaceRegister,
  'namespace.register_category': namespaceRegisterCategory,
  'namespace.restore': namespaceRestore,
  'namespace.rollback': namespaceRollback,
  'namespace.snapshot': namespaceSnapshot,
  'namespace.snapshots': namespaceSnapshots,
  'namespace.taxonomy': namespaceTaxonomy,
  'namespace.validate': namespaceValidate,
  'pair.create': pairCreate,
  'pair.redeem': pairRedeem,
  'procedure.record': procedureRecord,
  'profile.set': profileSet,
  'review.dismiss': reviewDismiss,
  'review.queue': reviewQueue,
  'run.complete': runComplete,
  'run.event': runEvent,
  'run.get': runGet,
  'run.grade': runGrade,
  'run.list': runList,
  'run.start': runStart,
  search,
  'settings.get': settingsGet,
  'settings.set': settingsSet,
  'sync.connect': syncConnect,
  'sync.disconnect': syncDisconnect,
  'sync.inbox': syncInbox,
  'sync.inbox_decide': syncInboxDecide,
  'sync.push': syncPush,
  'sync.status': syncStatus,
  'token.list': tokenList,
  'token.mint': tokenMint,
  'token.revoke': tokenRevoke,
  'webhook.deliveries': webhookDeliveries,
  'webhook.list': webhookList,
  'webhook.register': webhookRegister,
  'webhook.remove': webhookRemove,
  'webhook.test': webhookTest,
  'working_memory.acquire': workingMemoryAcquire,
  'working_memory.delete': workingMemoryDelete,
  'working_memory.get': workingMemoryGet,
  'working_memory.list': workingMemoryList,
  'working_memory.release': workingMemoryRelease,
  'working_memory.set': workingMemorySet,
} satisfies Record<OpName, { readonly kind: 'read' | 'write'; readonly contract: OpContract }>
