import type { Output } from '../../../contract/declare.ts'
import { isLoomError, LoomError } from '../../../contract/errors.ts'
import { memoryBulkSet as contract } from '../../../contract/ops/memory/bulk_set.ts'
import { storeError } from '../../db/store-error.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'
import { readEntries, type Entry } from '../../write/bulk/entries.ts'
import { vectorsAhead } from '../../write/bulk/vectors-ahead.ts'
import { writeEntry } from '../../write/bulk/write-entry.ts'
import type { Written } from '../../write/set-claim.ts'

type Answer = Output<typeof contract>

const BULK = { op: contract.name as 'memory.bulk_set', valueDecides: true }

const nothing = (dry_run: boolean): Answer => ({
  written: [],
  unchanged: [],
  merged: [],
  duplicates: [],
  conflicted: [],
  rejected_pinned: [],
  skipped_pinned: [],
  skipped_locked: [],
  skipped_blacklisted: [],
  refused: [],
  failed: [],
  unchecked: 0,
  degraded: [],
  dry_run,
})

function noteWritten(answer: Answer, { index, content }: Entry, { outcome, answer: set }: Written, checked: boolean): void {
  const place = { index, memory_key: content.key }
  const row = { ...place, memory_id: set.memory_id }
  if (outcome === 'repeated') answer.unchanged.push(row)
  else if (outcome === 'merged') answer.merged.push({ ...row, merged_into_key: set.merged_into_key })
  else if (outcome === 'rejected') answer.rejected_pinned.push({ ...place, peers: set.peers })
  else {
    const { memory_key: _key, namespace: _namespace, noop: _noop, degraded: _degraded, dry_run: _dry, ...kept } = set
    answer.written.push({ ...kept, ...row })
    if (set.status === 'duplicate') answer.duplicates.push(row)
    if (set.status === 'conflicted') answer.conflicted.push(row)
    if (!checked) answer.unchecked++
  }
}

/** Puts a refused or failed entry into its list; answers the code of a failure that ends the call. */
function noteError(
  answer: Answer,
  { index, content }: Entry,
  error: unknown,
  context: PrepareContext,
): 'STORAGE_FULL' | 'UNAVAILABLE' | null {
  const place = { index, memory_key: content.key }
  const known = isLoomError(error) ? error : storeError(error)
  if (known === null || known.code === 'INTERNAL') {
    context.parts.log.error({ err: error, op: contract.name, request_id: context.caller.requestId, index }, 'an entry failed')
    answer.failed.push({ ...place, code: 'INTERNAL' })
    return null
  }
  switch (known.code) {
    case 'PINNED_CONFLICT':
      answer.skipped_pinned.push(place)
      return null
    case 'LOCKED':
      answer.skipped_locked.push(place)
      return null
    case 'BLACKLISTED':
      answer.skipped_blacklisted.push({
        ...place,
        blacklist_id: String(known.fields['blacklist_id']),
        reason: String(known.fields['reason']),
      })
      return null
    case 'STORAGE_FULL':
    case 'UNAVAILABLE':
      answer.failed.push({ ...place, code: known.code })
      return known.code
    default:
      answer.refused.push({ ...place, code: known.code, message: known.message })
      return null
  }
}

/** As memory.set for each entry, in order. Not atomic: what came before a failure stays (BLK013). */
export const memoryBulkSet = defineBatch(contract, async (input, context): Promise<Answer> => {
  const { entries, ignored } = readEntries(input, context)
  const cap = context.parts.config.bulkConflictChecks
  const aheadOf = vectorsAhead(entries, context)
  const answer = nothing(input.dry_run)
  for (const entry of entries) {
    if (context.caller.signal?.aborted) {
      throw new LoomError('CANCELLED', `The caller went away; entries[0] to entries[${entry.index - 1}] were dealt with, the rest was not.`)
    }
    const checked = entry.index < cap
    try {
      const { vectors, unseen } = await aheadOf(entry)
      noteWritten(answer, entry, await writeEntry(entry, vectors, { ...BULK, checked, unseen }, context), checked)
    } catch (error) {
      const down = noteError(answer, entry, error, context)
      if (down === null) continue
      for (const rest of entries.slice(entry.index + 1)) answer.failed.push({ index: rest.index, memory_key: rest.content.key, code: down })
      break
    }
  }
  return { ...answer, degraded: [...context.degraded], ...(ignored.length > 0 && { ignored_args: ignored }) }
})
