import type { Embedder } from '../ports.ts'

/** Vectors of this many texts are kept: a dry run and the write that follows it embed once. */
const KEPT = 512

export interface EmbeddingCache {
  /** One vector a text, in order. @throws what the embedder throws. */
  embed(embedder: Embedder, texts: readonly string[]): Promise<Float32Array[]>
  clear(): void
}

/**
 * Embeds through a model, remembering the latest texts. A vector depends on its text alone, so a remembered one is
 * the one that the model would make.
 */
export function createEmbeddingCache(): EmbeddingCache {
  const known = new Map<string, Float32Array>()

  function remember(name: string, vector: Float32Array): void {
    known.delete(name)
    known.set(name, vector)
    const oldest = known.keys().next()
    if (known.size > KEPT && !oldest.done) known.delete(oldest.value)
  }

  return {
    async embed(embedder, texts) {
      const name = (text: string): string => `${embedder.id}\n${text}`
      const missing = [...new Set(texts.filter((text) => !known.has(name(text))))]
      const made = missing.length > 0 ? await embedder.embed(missing) : []
      const fresh = new Map(missing.map((text, at) => [text, made[at]]))
      return texts.map((text) => {
        const vector = fresh.get(text) ?? known.get(name(text))
        if (!vector) throw new Error('the embedder answered too few vectors')
        remember(name(text), vector)
        return vector
      })
    },
    clear: () => known.clear(),
  }
}
