import type { OpContract } from '../../contract/declare.ts'
import type { OpName } from '../../contract/registry.ts'
import { auditList } from './audit/list.ts'
import { blacklistAdd } from './blacklist/add.ts'
import { blacklistList } from './blacklist/list.ts'
import { blacklistRemove } from './blacklist/remove.ts'
import { blacklistSweep } from './blacklist/sweep.ts'
import { conflictsList } from './conflicts/list.ts'
import { conflictsResolve } from './conflicts/resolve.ts'
import { engineInfo } from './engine/info.ts'
import { memoryApply } from './memory/apply.ts'
import { memoryAssignCategory } from './memory/assign_category.ts'
import { memoryAutoRetirements } from './memory/auto_retirements.ts'
import { memoryBulkSet } from './memory/bulk_set.ts'
import { memoryClear } from './memory/clear.ts'
import { memoryDedupCollapse } from './memory/dedup_collapse.ts'
import { memoryDedupResolve } from './memory/dedup_resolve.ts'
import { memoryDelete } from './memory/delete.ts'
import { memoryDeleteVersion } from './memory/delete_version.ts'
import { memoryForFile } from './memory/for_file.ts'
import { memoryGet } from './memory/get.ts'
import { memoryGetById } from './memory/get_by_id.ts'
import { memoryHistory } from './memory/history.ts'
import { memoryInspect } from './memory/inspect.ts'
import { memoryLink } from './memory/link.ts'
import { memoryList } from './memory/list.ts'
import { memoryLock } from './memory/lock.ts'
import { memoryMove } from './memory/move.ts'
import { memoryOutcome } from './memory/outcome.ts'
import { memoryPin } from './memory/pin.ts'
import { memoryRedact } from './memory/redact.ts'
import { memoryReject } from './memory/reject.ts'
import { memoryResolveOrphanDuplicates } from './memory/resolve_orphan_duplicates.ts'
import { memoryRestore } from './memory/restore.ts'
import { memorySearch } from './memory/search.ts'
import { memorySet } from './memory/set.ts'
import { memoryStats } from './memory/stats.ts'
import { memoryTimeline } from './memory/timeline.ts'
import { memoryTouch } from './memory/touch.ts'
import { memoryUnlock } from './memory/unlock.ts'
import { memoryUnpin } from './memory/unpin.ts'
import { memoryUpdate } from './memory/update.ts'
import { memoryUpdateById } from './memory/update_by_id.ts'
import { memoryVerify } from './memory/verify.ts'
import { namespaceAudit } from './namespace/audit.ts'
import { namespaceGet } from './namespace/get.ts'
import { namespaceList } from './namespace/list.ts'
import { namespaceRegister } from './namespace/register.ts'
import { namespaceRegisterCategory } from './namespace/register_category.ts'
import { namespaceRestore } from './namespace/restore.ts'
import { namespaceRollback } from './namespace/rollback.ts'
import { namespaceSnapshot } from './namespace/snapshot.ts'
import { namespaceSnapshots } from './namespace/snapshots.ts'
import { namespaceTaxonomy } from './namespace/taxonomy.ts'
import { reviewDismiss } from './review/dismiss.ts'
import { reviewQueue } from './review/queue.ts'

/** The handler of every operation of the contract's registry. Hand-written: a test checks it against the folder. */
export const HANDLERS = {
  'audit.list': auditList,
  'blacklist.add': blacklistAdd,
  'blacklist.list': blacklistList,
  'blacklist.remove': blacklistRemove,
  'blacklist.sweep': blacklistSweep,
  'conflicts.list': conflictsList,
  'conflicts.resolve': conflictsResolve,
  'engine.info': engineInfo,
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
  'memory.inspect': memoryInspect,
  'memory.link': memoryLink,
  'memory.list': memoryList,
  'memory.lock': memoryLock,
  'memory.move': memoryMove,
  'memory.outcome': memoryOutcome,
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
  'review.dismiss': reviewDismiss,
  'review.queue': reviewQueue,
} satisfies Record<OpName, { readonly kind: 'read' | 'write'; readonly contract: OpContract }>
