import { isLoomError, type ErrorCode } from '../../contract/errors.ts'
import { DateTimeIn, MemoryKey } from '../../contract/common.ts'
import { memorySet } from '../../contract/ops/memory/set.ts'
import { firstCharacters } from '../../domain/claim/claim-text.ts'
import { asksToForget } from '../../domain/extract/forgetting.ts'
import { toldSince } from '../../domain/extract/since.ts'
import { fold } from '../../domain/text/fold.ts'
import { slug } from '../../domain/text/slug.ts'
import type { PrepareContext } from '../handler.ts'
import { headAt } from '../store/memories.ts'
import { sha256 } from '../store/sha256.ts'
import { writeEntry } from '../write/bulk/write-entry.ts'
import { contentOf } from '../write/content.ts'
import { embedContent } from '../write/embed.ts'
import type { ClaimInput } from '../write/plan.ts'
import { runInside } from '../write/run-inside.ts'
import type { Written } from '../write/set-claim.ts'
import { isHeld } from '../write/state.ts'
import { rejectedNear, repeats } from './known.ts'
import type { Candidate, ExtractAnswer, ExtractInput, Reading } from './pipeline.ts'

export const OP = 'memory.set_from_messages'
const MOST_TAGS = 64
/** Tells links of the value-update linker from those that people draw. */
const LINK_NOTE = 'value update'
const MODE = { op: OP, checked: true, valueDecides: false } as const

type Refusal = ExtractAnswer['refused'][number]['reason']

const REASONS: Readonly<Partial<Record<ErrorCode, Refusal>>> = {
  PINNED_CONFLICT: 'pinned',
  LOCKED: 'locked',
  BLACKLISTED: 'blacklist',
  CHAR_LIMIT_EXCEEDED: 'schema',
  INVALID_ARGUMENT: 'schema',
}

/** The key that the model gave; one that is none, or holds another fact that is not to be changed, is made from the text. */
async function keyFor({ fact }: Candidate, input: ExtractInput, context: PrepareContext): Promise<string> {
  const named = MemoryKey.safeParse(fact.key.trim())
  const key = named.success ? named.data : `fact/${slug(fact.value, sha256)}`
  if (input.detect_updates) return key
  const head = await headAt(context.db, context.identity, key)
  const isOthers = head !== null && isHeld(head, context.now) && head.content_sha256 !== contentOf(key, fact.value, 0).sha256
  return isOthers ? `${firstCharacters(key, 500)}-${sha256(fact.value).slice(0, 8)}` : key
}

/** Since when a fact is true: as the model read it, as its words tell it, or as the call says. */
function validAt({ fact }: Candidate, input: ExtractInput, observed: Date): string | undefined {
  const read = fact.valid_at === '' ? null : DateTimeIn.safeParse(fact.valid_at)
  if (read?.success && new Date(read.data) <= observed) return read.data
  const told = toldSince(fact.value, observed) ?? toldSince(fact.quote, observed)
  return told?.toISOString() ?? input.valid_at
}

function tagsOf({ fact }: Candidate, extra: readonly string[]): string[] {
  const seen = new Set(extra.map(fold))
  return [...extra, ...fact.tags.filter((tag) => !seen.has(fold(tag)))].slice(0, MOST_TAGS)
}

/** What memory.set is told of a fact: nothing but these fields is a model's to say. */
function claimOf(candidate: Candidate, key: string, input: ExtractInput, observed: Date): ClaimInput {
  const at = validAt(candidate, input, observed)
  return memorySet.input.parse({
    memory_key: key,
    value: candidate.fact.value,
    run_id: input.run_id,
    tags: tagsOf(candidate, input.extra_tags),
    entities: candidate.fact.entities,
    source_class: 'derived',
    ...(at !== undefined && { valid_at: at }),
  })
}

/** Links a new value to those that it changes; answers how many. A key that several rows hold is left unlinked. */
async function linkUpdates({ answer, outcome }: Written, context: PrepareContext): Promise<number> {
  const changed = answer.peers.filter((peer) => peer.relation === 'refines' || peer.relation === 'contradicts')
  if (outcome !== 'stored') return 0
  const { org, namespace } = context.identity
  let linked = 0
  for (const { memory_key: to_key } of changed) {
    try {
      const link = { memory_key: answer.memory_key, to_key, relation: 'refines' as const, note: LINK_NOTE }
      const done = await runInside('memory.link', link, context.identity, OP, context, { org, namespace })
      if (done.linked) linked++
    } catch (error) {
      if (!isLoomError(error) || error.code !== 'AMBIGUOUS_KEY') throw error
    }
  }
  return linked
}

type Stored = Pick<ExtractAnswer, 'written' | 'refused' | 'value_updates_linked'>

/** Writes one fact as memory.set would, past every gate; adds to `stored` what became of it. */
async function storeFact(
  candidate: Candidate,
  reading: Reading,
  input: ExtractInput,
  options: { readonly observed: Date; readonly links: boolean },
  stored: Stored,
  context: PrepareContext,
): Promise<void> {
  const { value } = candidate.fact
  const key = await keyFor(candidate, input, context)
  const refuse = (reason: Refusal): void => void stored.refused.push({ memory_key: key, value, reason })
  if (!candidate.supported) return refuse('unsupported')
  const content = contentOf(key, value, context.parts.config.valueAdvisoryChars)
  const vectors = await embedContent(content, context)
  const vector = vectors?.value ?? null
  // What the model was shown is an echo, and no news.
  if (await repeats(content, vector, reading.recalled, context)) return
  if (await repeats(content, vector, await rejectedNear(content, vector, context), context)) return refuse('rejected')
  try {
    const entry = { index: 0, identity: context.identity, input: claimOf(candidate, key, input, options.observed), content }
    const written = await writeEntry(entry, vectors, MODE, context)
    const { answer } = written
    if (written.outcome === 'rejected') return refuse('pinned_peer')
    const held = answer.merged_into_key || key
    const { memory_id, status, conflict_verdict } = answer
    stored.written.push({ memory_key: held, memory_id, status, conflict_verdict, value })
    if (options.links) stored.value_updates_linked += await linkUpdates(written, context)
  } catch (error) {
    const reason = isLoomError(error) ? REASONS[error.code] : undefined
    if (reason === undefined) throw error
    refuse(reason)
  }
}

/** @throws LoomError where the store fails; what came before it stays, as with a bulk write */
export async function storeFacts(
  reading: Reading,
  input: ExtractInput,
  options: { readonly observed: Date; readonly links: boolean },
  context: PrepareContext,
): Promise<Stored> {
  const stored: Stored = { written: [], refused: [], value_updates_linked: 0 }
  for (const candidate of reading.candidates) await storeFact(candidate, reading, input, options, stored, context)
  return stored
}

/** Deletes what the user asked to have forgotten: facts of their own, named in a request in their own words. */
export async function forgetFacts(reading: Reading, context: PrepareContext): Promise<string[]> {
  const forgotten: string[] = []
  for (const { fact, quote, said } of reading.forget) {
    const { head, claim } = fact
    if (head.user_id !== context.identity.user_id || forgotten.includes(head.memory_key)) continue
    if (!asksToForget(quote, `${head.memory_key} ${claim}`, said)) continue
    try {
      const { tombstoned } = await runInside('memory.delete', { memory_key: head.memory_key }, head, OP, context)
      if (tombstoned) forgotten.push(head.memory_key)
    } catch (error) {
      if (!isLoomError(error) || error.code !== 'LOCKED') throw error
    }
  }
  return forgotten
}

/** Records learnings, which wait for review. Answers their keys. */
export async function storeLearnings(reading: Reading, input: ExtractInput, context: PrepareContext): Promise<string[]> {
  const keys: string[] = []
  for (const { lesson, situation } of reading.learnings) {
    try {
      const told = {
        lesson,
        situation,
        run_id: input.run_id,
        tags: input.extra_tags.slice(0, MOST_TAGS - 1),
        source_class: 'derived' as const,
      }
      const { memory_key, merged_into_key, status } = await runInside('learning.record', told, context.identity, OP, context)
      if (status !== 'rejected') keys.push(merged_into_key || memory_key)
    } catch (error) {
      if (!isLoomError(error) || REASONS[error.code] === undefined) throw error
    }
  }
  return keys
}
