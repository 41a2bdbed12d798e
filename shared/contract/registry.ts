import { auditList } from './ops/audit/list.ts'
import { blacklistAdd } from './ops/blacklist/add.ts'
import { blacklistList } from './ops/blacklist/list.ts'
import { blacklistRemove } from './ops/blacklist/remove.ts'
import { blacklistSweep } from './ops/blacklist/sweep.ts'
import { conflictsList } from './ops/conflicts/list.ts'
import { conflictsResolve } from './ops/conflicts/resolve.ts'
import { decisionRecord } from './ops/decision/record.ts'
import { deviceList } from './ops/device/list.ts'
import { deviceRegister } from './ops/device/register.ts'
import { deviceRevoke } from './ops/device/revoke.ts'
import { engineInfo } from './ops/engine/info.ts'
import { learningDecide } from './ops/learning/decide.ts'
import { learningQueue } from './ops/learning/queue.ts'
import { learningRecord } from './ops/learning/record.ts'
import { memoryApply } from './ops/memory/apply.ts'
import { memoryAssignCategory } from './ops/memory/assign_category.ts'
import { memoryAutoRetirements } from './ops/memory/auto_retirements.ts'
import { memoryBulkSet } from './ops/memory/bulk_set.ts'
import { memoryClear } from './ops/memory/clear.ts'
import { memoryDedupCollapse } from './ops/memory/dedup_collapse.ts'
import { memoryDedupResolve } from './ops/memory/dedup_resolve.ts'
import { memoryDelete } from './ops/memory/delete.ts'
import { memoryDeleteVersion } from './ops/memory/delete_version.ts'
import { memoryForFile } from './ops/memory/for_file.ts'
import { memoryGet } from './ops/memory/get.ts'
import { memoryGetById } from './ops/memory/get_by_id.ts'
import { memoryHistory } from './ops/memory/history.ts'
import { memoryImport } from './ops/memory/import.ts'
import { memoryImportCurated } from './ops/memory/import_curated.ts'
import { memoryInspect } from './ops/memory/inspect.ts'
import { memoryLink } from './ops/memory/link.ts'
import { memoryList } from './ops/memory/list.ts'
import { memoryLock } from './ops/memory/lock.ts'
import { memoryMove } from './ops/memory/move.ts'
import { memoryOutcome } from './ops/memory/outcome.ts'
import { memoryOutcomeRun } from './ops/memory/outcome_run.ts'
import { memoryPin } from './ops/memory/pin.ts'
import { memoryRedact } from './ops/memory/redact.ts'
import { memoryReject } from './ops/memory/reject.ts'
import { memoryResolveOrphanDuplicates } from './ops/memory/resolve_orphan_duplicates.ts'
import { memoryRestore } from './ops/memory/restore.ts'
import { memorySearch } from './ops/memory/search.ts'
import { memorySet } from './ops/memory/set.ts'
import { memoryStats } from './ops/memory/stats.ts'
import { memoryTimeline } from './ops/memory/timeline.ts'
import { memoryTouch } from './ops/memory/touch.ts'
import { memoryUnlock } from './ops/memory/unlock.ts'
import { memoryUnpin } from './ops/memory/unpin.ts'
import { memoryUpdate } from './ops/memory/update.ts'
import { memoryUpdateById } from './ops/memory/update_by_id.ts'
import { memoryVerify } from './ops/memory/verify.ts'
import { namespaceAudit } from './ops/namespace/audit.ts'
import { namespaceGet } from './ops/namespace/get.ts'
import { namespaceList } from './ops/namespace/list.ts'
import { namespaceRegister } from './ops/namespace/register.ts'
import { namespaceRegisterCategory } from './ops/namespace/register_category.ts'
import { namespaceRestore } from './ops/namespace/restore.ts'
import { namespaceRollback } from './ops/namespace/rollback.ts'
import { namespaceSnapshot } from './ops/namespace/snapshot.ts'
import { namespaceSnapshots } from './ops/namespace/snapshots.ts'
import { namespaceTaxonomy } from './ops/namespace/taxonomy.ts'
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

/** Every operation this release answers, by wire name. Hand-written: a test checks it against the folder. */
export const REGISTRY = {
  'audit.list': auditList,
  'blacklist.add': blacklistAdd,
  'blacklist.list': blacklistList,
  'blacklist.remove': blacklistRemove,
  'blacklist.sweep': blacklistSweep,
  'conflicts.list': conflictsList,
  'conflicts.resolve': conflictsResolve,
  'decision.record': decisionRecord,
  'device.list': deviceList,
  'device.register': deviceRegister,
  'device.revoke': deviceRevoke,
  'engine.info': engineInfo,
  'learning.decide': learningDecide,
  'learning.queue': learningQueue,
  'learning.record': learningRecord,
  'memory.apply': memoryApply,
  'memory.assign_category': memoryAssignCategory,
  'memory.auto_retirements': memoryAutoRetirements,
  'memory.bulk_set': memoryBulkSet,
  'memory.clear': memoryClear,
  'memory.dedup_collapse': memoryDedupCollapse,
  'memory.dedup_resolve': memoryDedupResolve,
  'memory.delete': memoryDelete,
  'memory.delete_version': memoryDeleteVersion,
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
  'memory.redact': memoryRedact,
  'memory.reject': memoryReject,
  'memory.resolve_orphan_duplicates': memoryResolveOrphanDuplicates,
  'memory.restore': memoryRestore,
  'memory.search': memorySearch,
  'memory.set': memorySet,
  'memory.stats': memoryStats,
  'memory.timeline': memoryTimeline,
  'memory.touch': memoryTouch,
  'memory.unlock': memoryUnlock,
  'memory.unpin': memoryUnpin,
  'memory.update': memoryUpdate,
  'memory.update_by_id': memoryUpdateById,
  'memory.verify': memoryVerify,
  'namespace.audit': namespaceAudit,
  'namespace.get': namespaceGet,
  'namespace.list': namespaceList,
  'namespace.register': namespaceRegister,
  'namespace.register_category': namespaceRegisterCategory,
  'namespace.restore': namespaceRestore,
  'namespace.rollback': namespaceRollback,
  'namespace.snapshot': namespaceSnapshot,
  'namespace.snapshots': namespaceSnapshots,
  'namespace.taxonomy': namespaceTaxonomy,
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
