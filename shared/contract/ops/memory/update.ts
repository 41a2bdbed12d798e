import { z } from 'zod'
import { JsonValue, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { claimAnswer, claimFields } from './set.ts'

const {
  memory_key: memoryKey,
  value: _value,
  pinned: _pinned,
  classify: _classify,
  proposed: _proposed,
  sensitivity,
  ...kept
} = claimFields

/** What memory.update and memory.update_by_id may change; a field left out is kept. */
export const updateFields = {
  ...kept,
  value: JsonValue.optional().describe('The corrected claim; kept when left out.'),
  sensitivity: sensitivity.unwrap().exclude(['']).optional(),
  revive: z.boolean().default(false).describe('Let an expired row live again.'),
}

export const updateAnswer = {
  updated: z.boolean(),
  reason: z.enum(['', 'not_found', 'rejected']),
  ...claimAnswer,
  version_text: z.string(),
}

export const memoryUpdate = declareOp({
  name: 'memory.update',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'core',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Corrects a fact that a search or an answer showed, wherever in the namespace it is kept.',
  advice: 'Keeps pin, tags, expiry, lock and history. Several rows hold the key: the error names them; use memory.update_by_id.',
  input: z.object({ ...id5, memory_key: memoryKey, ...updateFields }),
  output: z.object(updateAnswer),
  errors: ['AMBIGUOUS_KEY', 'EXPIRED', 'PRECONDITION_FAILED', 'CHAR_LIMIT_EXCEEDED', 'BLACKLISTED', 'LOCKED'],
  notOverMcp: ['char_limit'],
})
