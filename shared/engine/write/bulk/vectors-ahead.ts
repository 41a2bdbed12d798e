import { sql } from 'kysely'
import type { PrepareContext } from '../../handler.ts'
import type { Vectors } from '../../store/attachments.ts'
import { isEmbedded, vectorsOf } from '../embed.ts'
import type { Entry } from './entries.ts'

/** Entries whose texts go to the model together: enough to keep it busy, few enough to hold. */
const CHUNK = 16
/** Chunks made ahead of the one being written. */
const AHEAD = 2

/** What is made for an entry before it is written. */
export interface MadeAhead {
  readonly vectors: Vectors | null
  /** The look-up of live keys failed for it. */
  readonly unseen: boolean
}

/** Which of these keys hold the value already: such entries only reinforce, and need no vector. */
async function repeated(entries: readonly Entry[], context: PrepareContext): Promise<Set<number>> {
  const { org, namespace } = context.identity
  const keys = entries.map((entry) => entry.content.key)
  const { rows } = await sql<{ agent: string; user_id: string; session_id: string; memory_key: string; content_sha256: string }>`
    SELECT agent, user_id, session_id, memory_key, content_sha256 FROM loom.memory
    WHERE org = ${org} AND namespace = ${namespace} AND memory_key = any(${keys}::text[]) AND erased_by = ''
      AND status IN ('active', 'conflicted', 'duplicate')`.execute(context.db)
  const held = new Set(rows.map((row) => JSON.stringify([row.agent, row.user_id, row.session_id, row.memory_key, row.content_sha256])))
  const same = entries.filter(({ identity, content }) =>
    held.has(JSON.stringify([identity.agent, identity.user_id, identity.session_id, content.key, content.sha256])),
  )
  return new Set(same.map((entry) => entry.index))
}

/** Whether search may find the entry, as far as it tells. */
export const needsVectors = ({ input, content }: Entry): boolean =>
  isEmbedded(input.memory_type ?? 'semantic', input.sensitivity === '' ? content.detected : input.sensitivity)

/** Makes vectors of texts, or finds them. */
export type Embed = typeof vectorsOf

interface MadeChunk {
  readonly made: ReadonlyMap<number, Vectors>
  readonly unseen: boolean
}

/** The keys that hold their value already; null where that could not be looked up, which ends no call (WHK041). */
async function lookUp(chunk: readonly Entry[], context: PrepareContext): Promise<Set<number> | null> {
  try {
    return await repeated(chunk, context)
  } catch (error) {
    context.parts.log.warn({ err: error, request_id: context.caller.requestId }, 'live keys of a batch could not be looked up; it goes on')
    return null
  }
}

async function makeChunk(chunk: readonly Entry[], context: PrepareContext, embed: Embed): Promise<MadeChunk> {
  const same = await lookUp(chunk, context)
  const unseen = same === null
  const embedded = chunk.filter((entry) => needsVectors(entry) && !same?.has(entry.index))
  const made = new Map<number, Vectors>()
  const texts = embedded.map(({ content }) => content.indexed)
  const answer = texts.length > 0 ? await embed(texts, context) : null
  if (!answer) return { made, unseen }
  embedded.forEach(({ index }, at) => made.set(index, { model: answer.model, value: answer.vectors[at] ?? null, key: null }))
  return { made, unseen }
}

/**
 * Value vectors of a bulk write's entries (those of the keys follow when it has ended), made in the background a few chunks ahead of the entry being written, so that
 * model and store work at once and memory holds only what is about to be written. Ask for entries in order.
 */
export function vectorsAhead(
  entries: readonly Entry[],
  context: PrepareContext,
  embed: Embed = vectorsOf,
): (entry: Entry) => Promise<MadeAhead> {
  const chunks = new Map<number, Promise<MadeChunk>>()
  const start = (chunk: number): void => {
    const part = entries.slice(chunk * CHUNK, (chunk + 1) * CHUNK)
    if (part.length === 0 || chunks.has(chunk)) return
    const making = makeChunk(part, context, embed)
    // Awaited when its turn comes: until then a failure is nobody's.
    making.catch(() => {})
    chunks.set(chunk, making)
  }
  return async ({ index }) => {
    const chunk = Math.floor(index / CHUNK)
    for (let next = chunk; next <= chunk + AHEAD; next++) start(next)
    chunks.delete(chunk - 1)
    const ready = await chunks.get(chunk)
    return { vectors: ready?.made.get(index) ?? null, unseen: ready?.unseen ?? false }
  }
}
