import type { CallContext } from '../handler.ts'
import type { EngineParts } from '../parts.ts'
import type { Vectors } from '../store/attachments.ts'
import type { Content } from './content.ts'

/** How long a call waits for the models while they load at start, before it goes on without. */
const LOADING_PATIENCE_MS = 15_000

/** Waits for models that are still loading, but not for ever. */
export async function modelsSettled(parts: EngineParts): Promise<void> {
  if (parts.models.state !== 'loading') return
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LOADING_PATIENCE_MS)
  })
  await Promise.race([parts.models.settled, patience])
  clearTimeout(timer)
}

/** Vectors of texts, or null with `degraded` saying so: a missing model fails no call. */
export async function vectorsOf(
  texts: readonly string[],
  context: CallContext,
): Promise<{ model: string; vectors: Float32Array[] } | null> {
  await modelsSettled(context.parts)
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

/** Value and key vector of a claim; the key has one of its own unless it is only a digest. */
export async function embedContent(content: Content, context: CallContext): Promise<Vectors | null> {
  return (await embedValueFirst(content, context)).whole
}

/** Vectors in the making: what is judged is there, and the key's follows while it is. */
export interface VectorsInHand {
  readonly value: Float32Array | null
  /** Never rejects. */
  readonly whole: Promise<Vectors | null>
}

export const NO_VECTORS: VectorsInHand = { value: null, whole: Promise.resolve(null) }

export async function embedValueFirst(content: Content, context: CallContext): Promise<VectorsInHand> {
  const made = await vectorsOf([content.indexed], context)
  const value = made?.vectors[0] ?? null
  if (!made || !value) return NO_VECTORS
  const whole = content.keyIndexed
    ? vectorsOf([content.key], context).then((key) => ({ model: made.model, value, key: key?.vectors[0] ?? null }))
    : Promise.resolve({ model: made.model, value, key: null })
  return { value, whole }
}
