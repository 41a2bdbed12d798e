import { sql } from 'kysely'
import type { PrepareContext } from '../../handler.ts'
import type { Vectors } from '../../store/attachments.ts'
import { isEmbedded, vectorsOf } from '../embed.ts'
import type { Entry } from './entries.ts'

/** Entries whose texts go to the model together: enough to keep it busy, few enough to hold. */
const CHUNK = 16
/** Chunks made ahead of the one being written. */
const AHEAD = 2

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

async function embedChunk(chunk: readonly Entry[], context: PrepareContext, embed: Embed): Promise<Map<number, Vectors>> {
  const same = await repeated(chunk, context)
  const embedded = chunk.filter((entry) => needsVectors(entry) && !same.has(entry.index))
  const made = new Map<number, Vectors>()
  const texts = embedded.map(({ content }) => content.indexed)
  const answer = texts.length > 0 ? await embed(texts, context) : null
  if (!answer) return made
  embedded.forEach(({ index }, at) => made.set(index, { model: answer.model, value: answer.vectors[at] ?? null, key: null }))
  return made
}

/**
 * Value vectors of a bulk write's entries (those of the keys follow when it has ended), made in the background a few chunks ahead of the entry being written, so that
 * model and store work at once and memory holds only what is about to be written. Ask for entries in order.
 */
export function vectorsAhead(
  entries: readonly Entry[],
  context: PrepareContext,
  embed: Embed = vectorsOf,
): (entry: Entry) => Promise<Vectors | null> {
  const chunks = new Map<number, Promise<Map<number, Vectors>>>()
  const start = (chunk: number): void => {
    const part = entries.slice(chunk * CHUNK, (chunk + 1) * CHUNK)
    if (part.length === 0 || chunks.has(chunk)) return
    const making = embedChunk(part, context, embed)
    // Awaited when its turn comes: until then a failure is nobody's.
    making.catch(() => {})
    chunks.set(chunk, making)
  }
  return async ({ index }) => {
    const chunk = Math.floor(index / CHUNK)
    for (let next = chunk; next <= chunk + AHEAD; next++) start(next)
    chunks.delete(chunk - 1)
    return (await chunks.get(chunk))?.get(index) ?? null
  }
}
