import { isFencedSince } from '../../erasure/numbers.ts'
import type { CallContext } from '../../handler.ts'
import { keepVectors, keptVectors } from '../../store/embedding-cache.ts'
import type { Embed } from '../bulk/vectors-ahead.ts'
import { embedderSettled, vectorsOf } from '../embed.ts'

/** Keeps vectors of texts, unless an erasure of their namespace began since they were read. */
async function keep(
  fresh: ReadonlyMap<string, Float32Array>,
  model: string,
  { parts, identity, now, erasureSince }: CallContext,
): Promise<void> {
  await parts.database.transaction(async (tx) => {
    const number = await parts.numbers.enter(tx, identity.org)
    if (erasureSince !== undefined && number > erasureSince && (await isFencedSince(tx, identity, erasureSince))) return
    await keepVectors(tx, identity, model, fresh, now)
  })
}

/**
 * Vectors by way of the host's cache: what a dry run embedded, the write that follows it does not embed again (IMP054).
 * @param keeps whether new ones are kept: those of a dry run, which leaves no row that has them.
 */
export const vectorsByCache = (keeps: boolean): Embed =>
  async function embed(texts, context: CallContext) {
    const { parts, identity } = context
    await embedderSettled(parts)
    const model = parts.models.embedder?.id
    if (model === undefined) return vectorsOf(texts, context)
    const kept = await keptVectors(parts.database.reader, identity, model, texts)
    const missing = texts.filter((text) => !kept.has(text))
    const made = missing.length > 0 ? await vectorsOf(missing, context) : { model, vectors: [] }
    if (!made || made.model !== model) return vectorsOf(texts, context)
    const fresh = new Map(missing.map((text, at) => [text, made.vectors[at] ?? new Float32Array()]))
    if (keeps && fresh.size > 0) await keep(fresh, model, context)
    return { model, vectors: texts.map((text) => kept.get(text) ?? fresh.get(text) ?? new Float32Array()) }
  }
