import type { Input, Output } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import type { memoryConsolidate } from '../../contract/ops/memory/consolidate.ts'
import { slug } from '../../domain/text/slug.ts'
import type { PrepareContext, WriteContext } from '../handler.ts'
import { sourcesOf } from '../read/summary-sources.ts'
import type { Vectors } from '../store/attachments.ts'
import { headAt, lockKeys, type Head } from '../store/memories.ts'
import { sha256 } from '../store/sha256.ts'
import { contentOf, type Content } from './content.ts'
import { embedContent } from './embed.ts'
import { isStanding, retireSource, storeSummary, summaryIdentity } from './summary-row.ts'
import { summaryText } from './summary-text.ts'

type Call = Input<typeof memoryConsolidate>
type Answer = Output<typeof memoryConsolidate>

/** Fewer rows make no summary. */
const LEAST_SOURCES = 2

/** A summary that is ready to be stored. */
export interface ReadySummary {
  /** The rows that it was made of, as they were. */
  readonly of: string
  readonly content: Content
  readonly vectors: Vectors | null
}

function summaryKey(input: Call): string {
  if (input.summary_key !== undefined) return input.summary_key
  const text = input.key_prefix ?? input.entity ?? input.tag ?? input.keys?.[0] ?? ''
  return `summary/${slug(text, sha256)}`
}

const named = (heads: readonly Head[]): string => heads.map((head) => `${head.memory_id} ${head.version}`).join()

/** Makes the text of a summary and its vectors; null where there is nothing to make. */
export async function prepareSummary(input: Call, context: PrepareContext): Promise<ReadySummary | null> {
  const { db, identity, now, parts } = context
  const { heads } = await sourcesOf(input, summaryKey(input), db, context)
  if (heads.length < LEAST_SOURCES) return null
  const head = await headAt(db, summaryIdentity(identity, heads), summaryKey(input))
  if (await isStanding(db, head, heads, now)) return null
  const content = contentOf(summaryKey(input), await summaryText(heads, context), parts.config.valueAdvisoryChars)
  return { of: named(heads), content, vectors: input.dry_run ? null : await embedContent(content, context) }
}

/**
 * Stores a summary that was made ready, and retires its sources on request.
 * @throws LoomError UNAVAILABLE where a source changed meanwhile; LOCKED or PINNED_CONFLICT for its own row
 */
export async function consolidate(op: string, input: Call, context: WriteContext, ready: ReadySummary | null): Promise<Answer> {
  const { tx, identity, now, parts } = context
  const key = summaryKey(input)
  await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${key}`])
  const { heads, skipped } = await sourcesOf(input, key, tx, context)
  const told: Answer = {
    summary_key: key,
    memory_id: '',
    version: 0n,
    version_text: '0',
    value: '',
    derived_from: [],
    retired: [],
    skipped,
    noop: true,
    dry_run: input.dry_run,
    degraded: [...context.degraded],
  }
  if (heads.length < LEAST_SOURCES) return told
  const at = summaryIdentity(identity, heads)
  const head = await headAt(tx, at, key)
  const stands = await isStanding(tx, head, heads, now)
  if (!stands && ready?.of !== named(heads))
    throw new LoomError('UNAVAILABLE', 'A source changed while the summary was made. Make the call again.', { retry_after_s: 1 })
  const answer = (row: Head | null, noop: boolean): Answer => ({
    ...told,
    value: stands && head ? (JSON.parse(head.value ?? '""') as string) : (ready?.content.text ?? ''),
    derived_from: heads.map(({ memory_key, memory_id }) => ({ memory_key, memory_id })),
    retired: input.retire_sources ? heads.map(({ memory_key }) => memory_key) : [],
    noop,
    ...(row && { memory_id: row.memory_id, version: row.version, version_text: row.version.toString() }),
  })
  const isNoop = stands && !input.retire_sources
  if (input.dry_run || isNoop) return answer(head, isNoop)
  const stored = stands && head ? head : await storeSummary(op, at, (ready as ReadySummary).content, ready?.vectors ?? null, heads, context)
  if (input.retire_sources) for (const source of heads) await retireSource(source, stored, op, context)
  return answer(stored, false)
}
