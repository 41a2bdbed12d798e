import { autoBackup } from './auto-backup.ts'
import { conflictResolver } from './conflict-resolver.ts'
import { consolidate } from './consolidate.ts'
import { digests } from './digests.ts'
import { embedDocuments } from './embed-documents.ts'
import { embedMessages } from './embed-messages.ts'
import { embedMissing } from './embed-missing.ts'
import { entityExtractor } from './entity-extractor.ts'
import { erasureRecover } from './erasure-recover.ts'
import { expiry } from './expiry.ts'
import { extract } from './extract.ts'
import { idleRuns } from './idle-runs.ts'
import { reindex } from './reindex.ts'
import { objectSweep } from './object-sweep.ts'
import { restamp } from './restamp.ts'
import { sealAudit } from './seal-audit.ts'
import { sensitivity } from './sensitivity.ts'
import { shapeUpkeep } from './shape-upkeep.ts'
import { webhookDeliver } from './webhook-deliver.ts'
import type { Job } from './job.ts'

/** Every background pass of an engine, in the order in which they run when several are due. */
export const JOBS: readonly Job[] = [
  embedMissing,
  embedDocuments,
  embedMessages,
  restamp,
  reindex,
  consolidate,
  sensitivity,
  expiry,
  conflictResolver,
  entityExtractor,
  extract,
  erasureRecover,
  sealAudit,
  idleRuns,
  objectSweep,
  shapeUpkeep,
  digests,
  webhookDeliver,
  autoBackup,
]
