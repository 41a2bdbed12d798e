import { auditList } from './ops/audit/list.ts'
import { backupCreate } from './ops/backup/create.ts'
import { backupList } from './ops/backup/list.ts'
import { backupRestore } from './ops/backup/restore.ts'
import { blacklistAdd } from './ops/blacklist/add.ts'
import { blacklistList } from './ops/blacklist/list.ts'
import { blacklistRemove } from './ops/blacklist/remove.ts'
import { blacklistSweep } from './ops/blacklist/sweep.ts'
import { collectionDelete } from './ops/collection/delete.ts'
import { collectionList } from './ops/collection/list.ts'
import { conflictsList } from './ops/conflicts/list.ts'
import { conflictsResolve } from './ops/conflicts/resolve.ts'
import { contextPack } from './ops/context/pack.ts'
import { conversationAppend } from './ops/conversation/append.ts'
import { conversationDelete } from './ops/conversation/delete.ts'
import { conversationGet } from './ops/conversation/get.ts'
import { conversationList } from './ops/conversation/list.ts'
import { conversationSearch } from './ops/conversation/search.ts'
import { decisionRecord } from './ops/decision/record.ts'
import { deviceList } from './ops/device/list.ts'
import { deviceRegister } from './ops/device/register.ts'
import { deviceRevoke } from './ops/device/revoke.ts'
import { engineInfo } from './ops/engine/info.ts'
import { erasureExport } from './ops/erasure/export.ts'
import { erasureList } from './ops/erasure/list.ts'
import { erasurePreview } from './ops/erasure/preview.ts'
import { erasureReceipt } from './ops/erasure/receipt.ts'
import { erasureRequest } from './ops/erasure/request.ts'
import { erasureStatus } from './ops/erasure/status.ts'
import { knowledgeAdd } from './ops/knowledge/add.ts'
import { knowledgeDelete } from './ops/knowledge/delete.ts'
import { knowledgeGet } from './ops/knowledge/get.ts'
import { knowledgeList } from './ops/knowledge/list.ts'
import { knowledgeSearch } from './ops/knowledge/search.ts'
import { learningDecide } from './ops/learning/decide.ts'
import { learningQueue } from './ops/learning/queue.ts'
import { learningRecord } from './ops/learning/record.ts'
import { memorySchemaApprove } from './ops/memory_schema/approve.ts'
import { memorySchemaList } from './ops/memory_schema/list.ts'
import { memorySchemaPropose } from './ops/memory_schema/propose.ts'
import { memorySchemaRegister } from './ops/memory_schema/register.ts'
import { namespaceAudit } from './ops/namespace/audit.ts'
import { namespaceExport } from './ops/namespace/export.ts'
import { namespaceGet } from './ops/namespace/get.ts'
import { namespaceList } from './ops/namespace/list.ts'
import { namespaceRegister } from './ops/namespace/register.ts'
import { namespaceRegisterCategory } from './ops/namespace/register_category.ts'
import { namespaceRestore } from './ops/namespace/restore.ts'
import { namespaceRollback } from './ops/namespace/rollback.ts'
import { namespaceSnapshot } from './ops/namespace/snapshot.ts'
import { namespaceSnapshots } from './ops/namespace/snapshots.ts'
import { namespaceTaxonomy } from './ops/namespace/taxonomy.ts'
import { namespaceValidate } from './ops/namespace/validate.ts'
import { pairCreate } from './ops/pair/create.ts'
import { pairRedeem } from './ops/pair/redeem.ts'
import { procedureRecord } from './ops/procedure/record.ts'
import { profileSet } from './ops/profile/set.ts'
import { reviewDismiss } from './ops/review/dismiss.ts'
import { reviewQueue } from './ops/review/queue.ts'
import { runComplete } from './ops/run/complete.ts'
import { runEvent } from './ops/run/event.ts'
import { runGet } from './ops/run/get.ts'
import { runGrade } from './ops/run/grade.ts'
import { runList } from './ops/run/list.ts'
import { runStart } from './ops/run/start.ts'
import { search } from './ops/search.ts'
import { settingsGet } from './ops/settings/get.ts'
import { settingsSet } from './ops/settings/set.ts'
import { syncConnect } from './ops/sync/connect.ts'
import { syncDisconnect } from './ops/sync/disconnect.ts'
import { syncInbox } from './ops/sync/inbox.ts'
import { syncInboxDecide } from './ops/sync/inbox_decide.ts'
import { syncPush } from './ops/sync/push.ts'
import { syncStatus } from './ops/sync/status.ts'
import { tokenList } from './ops/token/list.ts'
import { tokenMint } from './ops/token/mint.ts'
import { tokenRevoke } from './ops/token/revoke.ts'
import { webhookDeliveries } from './ops/webhook/deliveries.ts'
import { webhookList } from './ops/webhook/list.ts'
import { webhookRegister } from './ops/webhook/register.ts'
import { webhookRemove } from './ops/webhook/remove.ts'
import { webhookTest } from './ops/webhook/test.ts'
import { workingMemoryAcquire } from './ops/working_memory/acquire.ts'
import { workingMemoryDelete } from './ops/working_memory/delete.ts'
import { workingMemoryGet } from './ops/working_memory/get.ts'
import { workingMemoryList } from './ops/working_memory/list.ts'
import { workingMemoryRelease } from './ops/working_memory/release.ts'
import { workingMemorySet } from './ops/working_memory/set.ts'
import type { CallInput, OpContract, Output } from './declare.ts'
import { MEMORY_OPS } from './memory-ops.ts'

/** Every operation this release answers, by wire name. Hand-written: a test checks it against the folder. */
export const REGISTRY = {
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
  ...MEMORY_OPS,
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
} as const satisfies Record<string, OpContract>

export type OpName = keyof typeof REGISTRY
export type CallInputOf<N extends OpName> = CallInput<(typeof REGISTRY)[N]>
export type OutputOf<N extends OpName> = Output<(typeof REGISTRY)[N]> & { ignored_args?: string[]; did_you_mean?: Record<string, string> }

export function isOpName(name: string): name is OpName {
  return Object.hasOwn(REGISTRY, name)
}

export function contractOf(name: OpName): OpContract {
  return REGISTRY[name]
}
