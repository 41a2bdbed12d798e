import type { OpContract } from './declare.ts'
import { memoryAggregate } from './ops/memory/aggregate.ts'
import { memoryApply } from './ops/memory/apply.ts'
import { memoryAsk } from './ops/memory/ask.ts'
import { memoryAssignCategory } from './ops/memory/assign_category.ts'
import { memoryAutoRetirements } from './ops/memory/auto_retirements.ts'
import { memoryBacklinks } from './ops/memory/backlinks.ts'
import { memoryBulkSet } from './ops/memory/bulk_set.ts'
import { memoryClear } from './ops/memory/clear.ts'
import { memoryConsolidate } from './ops/memory/consolidate.ts'
import { memoryCopyTo } from './ops/memory/copy_to.ts'
import { memoryCrossPromote } from './ops/memory/cross_promote.ts'
import { memoryDedupCollapse } from './ops/memory/dedup_collapse.ts'
import { memoryDedupResolve } from './ops/memory/dedup_resolve.ts'
import { memoryDelete } from './ops/memory/delete.ts'
import { memoryDeleteVersion } from './ops/memory/delete_version.ts'
import { memoryDemote } from './ops/memory/demote.ts'
import { memoryDigests } from './ops/memory/digests.ts'
import { memoryEvidence } from './ops/memory/evidence.ts'
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
import { memoryPromote } from './ops/memory/promote.ts'
import { memoryProposalDecide } from './ops/memory/proposal_decide.ts'
import { memoryProposals } from './ops/memory/proposals.ts'
import { memoryRecordConflicts } from './ops/memory/record/conflicts.ts'
import { memoryRecordDelete } from './ops/memory/record/delete.ts'
import { memoryRecordGet } from './ops/memory/record/get.ts'
import { memoryRecordHistory } from './ops/memory/record/history.ts'
import { memoryRecordQuery } from './ops/memory/record/query.ts'
import { memoryRecordWrite } from './ops/memory/record/write.ts'
import { memoryRedact } from './ops/memory/redact.ts'
import { memoryReindex } from './ops/memory/reindex.ts'
import { memoryReject } from './ops/memory/reject.ts'
import { memoryRelated } from './ops/memory/related.ts'
import { memoryResolveOrphanDuplicates } from './ops/memory/resolve_orphan_duplicates.ts'
import { memoryRestore } from './ops/memory/restore.ts'
import { memorySearch } from './ops/memory/search.ts'
import { memorySearchTrace } from './ops/memory/search_trace.ts'
import { memorySet } from './ops/memory/set.ts'
import { memorySetFromMessages } from './ops/memory/set_from_messages.ts'
import { memoryStats } from './ops/memory/stats.ts'
import { memoryTimeline } from './ops/memory/timeline.ts'
import { memoryTouch } from './ops/memory/touch.ts'
import { memoryUnlock } from './ops/memory/unlock.ts'
import { memoryUnpin } from './ops/memory/unpin.ts'
import { memoryUpdate } from './ops/memory/update.ts'
import { memoryUpdateById } from './ops/memory/update_by_id.ts'
import { memoryVerify } from './ops/memory/verify.ts'

/** The part of the registry that is `memory.*`: half of all operations. */
export const MEMORY_OPS = {
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
} as const satisfies Record<string, OpContract>
