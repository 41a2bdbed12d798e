import type { CallContext } from '../handler.ts'
import { EMBED_MISSING } from '../jobs/embed-missing.ts'
import type { EngineParts } from '../parts.ts'
import type { Vectors } from '../store/attachments.ts'
import type { Content } from './content.ts'

/** How long a call waits for the models while they load at start, before it goes on without. */
const LOADING_PATIENCE_MS = 15_000

/** Waits for models that are still loading, but not for ever. */
async function loaded({ models }: EngineParts, settled: Promise<void>): Promise<void> {
  if (models.state !== 'loading') return
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LOADING_PATIENCE_MS)
  })
  await Promise.race([settled, patience])
  clearTimeout(timer)
}

export const modelsSettled = (parts: EngineParts): Promise<void> => loaded(parts, parts.models.settled)
export const embedderSettled = (parts: EngineParts): Promise<void> => loaded(parts, parts.models.embedderSettled)

/** Vectors of texts, or null with `degraded` saying so: a missing model fails no call. */
export async function vectorsOf(
  texts: readonly string[],
  context: CallContext,
): Promise<{ model: string; vectors: Float32Array[] } | null> {
  await embedderSettled(context.parts)
  const { embedder } = context.parts.models
  try {
    if (!embedder) throw new Error('no embedding model is loaded')
    return { model: embedder.id, vectors: await context.parts.embeddings.embed(embedder, texts) }
  } catch {
    context.degraded.add('embedder')
    return null
  }
}

const EMBEDDED_TYPES = new Set(['semantic', 'procedural'])

/** Which rows are embedded: the types that search finds, unless their sensitivity is high (KEY027-031). */
export function isEmbedded(memoryType: string, sensitivity: string): boolean {
  return EMBEDDED_TYPES.has(memoryType) && sensitivity !== 'high'
}

/** The vector that a claim is judged by. That of its key, which only search uses, is made after the write. */
export async function embedValue(content: Content, context: CallContext): Promise<Vectors | null> {
  const made = await vectorsOf([content.indexed], context)
  return made && { model: made.model, value: made.vectors[0] ?? null, key: null }
}

/** Value and key vector of a claim; the key has one of its own unless it is only a digest. */
export async function embedContent(content: Content, context: CallContext): Promise<Vectors | null> {
  const made = await vectorsOf(content.keyIndexed ? [content.indexed, content.key] : [content.indexed], context)
  return made && { model: made.model, value: made.vectors[0] ?? null, key: made.vectors[1] ?? null }
}

/** Has the vectors that a row lacks made in the background, within a second or so. */
export function embedLater({ org, memory_id }: { readonly org: string; readonly memory_id: string }, parts: EngineParts): void {
  parts.unembedded.note(org, memory_id)
  parts.wake(EMBED_MISSING)
}
