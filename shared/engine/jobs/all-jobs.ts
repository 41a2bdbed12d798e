import { conflictResolver } from './conflict-resolver.ts'
import { embedMissing } from './embed-missing.ts'
import { entityExtractor } from './entity-extractor.ts'
import { expiry } from './expiry.ts'
import { idleRuns } from './idle-runs.ts'
import { restamp } from './restamp.ts'
import { sealAudit } from './seal-audit.ts'
import { sensitivity } from './sensitivity.ts'
import { shapeUpkeep } from './shape-upkeep.ts'
import { webhookDeliver } from './webhook-deliver.ts'
import type { Job } from './job.ts'

/** Every background pass of an engine, in the order in which they run when several are due. */
export const JOBS: readonly Job[] = [
  embedMissing,
  restamp,
  sensitivity,
  expiry,
  conflictResolver,
  entityExtractor,
  sealAudit,
  idleRuns,
  shapeUpkeep,
  webhookDeliver,
]
