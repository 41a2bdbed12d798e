import { z } from 'zod'
import { MemoryKey, Str, id5 } from './common.ts'
import { claimFields } from './ops/memory/set.ts'

/** What the operations that build a key and a value take besides their own fields, as memory.set does. */
const { run_id, tags, entities, files, confidence, source_class, source_trace, source_resource_id } = claimFields
const { valid_at, sensitivity, if_match_sha256, dry_run } = claimFields

export const shapedFields = {
  ...id5,
  run_id,
  tags,
  entities,
  files,
  confidence,
  source_class,
  source_trace,
  source_resource_id,
  valid_at,
  sensitivity,
  if_match_sha256,
  dry_run,
}

export const shapedKey = (kind: string, of: string) => MemoryKey.optional().describe(`${kind}/<slug of the ${of}> when left out.`)

export const SHAPED_ERRORS = ['PINNED_CONFLICT', 'PRECONDITION_FAILED', 'KEY_HOLDS_FACT', 'BLACKLISTED', 'LOCKED'] as const

const StepText = Str.min(1).max(2000)
export const Step = z.union([StepText, z.object({ do: StepText, check: Str.max(2000).optional(), why: Str.max(2000).optional() })])

export const LearningReview = z.enum(['pending', 'kept', 'rejected'])
