import type { CallContext } from '../../handler.ts'
import { keepVectors, keptVectors } from '../../store/embedding-cache.ts'
import type { Embed } from '../bulk/vectors-ahead.ts'
import { modelsSettled, vectorsOf } from '../embed.ts'

/**
 * Vectors by way of the host's cache: what a dry run embedded, the write that follows it does not embed again (IMP054).
 * @param keeps whether new ones are kept: those of a dry run, which leaves no row that has them.
 */
export const vectorsByCache = (keeps: boolean): Embed =>
  async function embed(texts, context: CallContext) {
    const { parts, identity, now } = context
    await modelsSettled(parts)
    const model = parts.models.embedder?.id
    if (model === undefined) return vectorsOf(texts, context)
    const kept = await keptVectors(parts.database.reader, identity, model, texts)
    const missing = texts.filter((text) => !kept.has(text))
    const made = missing.length > 0 ? await vectorsOf(missing, context) : { model, vectors: [] }
    if (!made || made.model !== model) return vectorsOf(texts, context)
    const fresh = new Map(missing.map((text, at) => [text, made.vectors[at] ?? new Float32Array()]))
    if (keeps && fresh.size > 0) await parts.database.transaction((tx) => keepVectors(tx, identity, model, fresh, now))
    return { model, vectors: texts.map((text) => kept.get(text) ?? fresh.get(text) ?? new Float32Array()) }
  }
