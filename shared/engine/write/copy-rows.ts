import type { Input, Output } from '../../contract/declare.ts'
import { isLoomError } from '../../contract/errors.ts'
import { parseJson } from '../../contract/json.ts'
import type { memoryCopyTo } from '../../contract/ops/memory/copy_to.ts'
import { memorySet } from '../../contract/ops/memory/set.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { PrepareContext } from '../handler.ts'
import type { Identity } from '../identity.ts'
import { triplesOf } from '../store/attachments.ts'
import { headAt, type Head } from '../store/memories.ts'
import { iso } from '../store/row-view.ts'
import type { Entry } from './bulk/entries.ts'
import { writeEntry, type EntryMode } from './bulk/write-entry.ts'
import { contentOf } from './content.ts'
import { STAMPS, type ClaimInput } from './plan.ts'
import { isLive } from './state.ts'

type Call = Input<typeof memoryCopyTo>
type Answer = Output<typeof memoryCopyTo>
type Skip = Answer['skipped'][number]['reason']

/** What became of a row: its place in one of the answer's lists. */
export type Copied =
  | { readonly copied: Answer['copied'][number] }
  | { readonly merged: Answer['merged'][number] }
  | { readonly skipped: Answer['skipped'][number] }

const REFUSALS: Readonly<Record<string, Skip>> = { LOCKED: 'locked', PINNED_CONFLICT: 'pinned', BLACKLISTED: 'blacklist' }
const LONGEST_TRACE = 1024
const STAMPED: ReadonlySet<string> = new Set([...Object.values(STAMPS), 'system'])

/** A copy is one write in its own transaction; of what is stored there already nothing is reinforced. */
const COPY: EntryMode = {
  op: 'memory.copy_to',
  checked: true,
  valueDecides: true,
  leavesHeld: true,
  // The server stamps the class of what is pushed itself.
  pushed: ({ source_class, ...args }) => ({ ...args, ...(source_class && !STAMPED.has(source_class) && { source_class }) }),
}

async function entryOf(head: Head, target: Identity, input: Call, context: PrepareContext): Promise<Entry> {
  const value = parseJson(head.value ?? 'null') as Json
  const claim = memorySet.input.parse({
    memory_key: head.memory_key,
    value,
    memory_type: head.memory_type,
    tags: head.tags,
    entities: head.entities,
    relations: await triplesOf(context.db, head.org, head.memory_id),
    files: head.files,
    confidence: head.confidence,
    valid_at: iso(head.valid_at),
    valid_to: iso(head.valid_to),
    sensitivity: head.sensitivity,
    source_trace: head.source_trace || `${head.namespace}/${head.memory_key}`.slice(0, LONGEST_TRACE),
    source_resource_id: head.source_resource_id,
    dry_run: input.dry_run,
  })
  const carried: ClaimInput = { ...claim, source_class: head.source_class as ClaimInput['source_class'] }
  return { index: 0, identity: target, input: carried, content: contentOf(head.memory_key, value, context.parts.config.valueAdvisoryChars) }
}

/**
 * Copies a row to another place, as memory.set would write it there.
 * @param context of the caller where the copy goes
 */
export async function copyRow(head: Head, target: Identity, input: Call, context: PrepareContext): Promise<Copied> {
  const { memory_key } = head
  const skip = (reason: Skip): Copied => ({ skipped: { memory_key, reason } })
  if (head.sensitivity === 'high') return skip('high')
  const there = await headAt(context.db, target, memory_key)
  if (there && isLive(there, context.now)) {
    if (there.value === head.value) return skip('unchanged')
    if (!input.overwrite) return skip('exists')
  }
  try {
    const { outcome, answer, would } = await writeEntry(await entryOf(head, target, input, context), null, COPY, context)
    if (outcome === 'repeated') return skip('unchanged')
    if (outcome === 'rejected') return skip('pinned_peer')
    if (outcome === 'merged') return { merged: { memory_key, merged_into_key: answer.merged_into_key } }
    const { status, conflict_verdict } = would ? { ...answer, status: would.head.status as typeof answer.status } : answer
    return { copied: { memory_key, memory_id: head.memory_id, to_memory_id: answer.memory_id, status, conflict_verdict } }
  } catch (error) {
    const reason = isLoomError(error) ? REFUSALS[error.code] : undefined
    if (reason === undefined) throw error
    return skip(reason)
  }
}
