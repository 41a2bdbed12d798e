import type { EngineEvent } from '../contract/events.ts'
import { degradedOf } from './degraded.ts'
import { createHotIndex } from './index/hot-index.ts'
import { embedMissing } from './jobs/embed-missing.ts'
import type { JobRunner } from './jobs/runner.ts'
import type { EngineParts } from './parts.ts'
import type { Embedder, Models } from './ports.ts'
import { fillIndex, fillKeyVectors, indexRows } from './store/index-rows.ts'

/** The model of vectors and their length. */
export interface VectorModel {
  readonly model: string
  readonly dim: number
}

export const DEFAULT_DIM = 384

/** Keeps the index and the stored vectors at the model in force. */
export interface VectorUpkeep {
  readonly reindexing: boolean
  /** Fills an index anew and puts it in the place of the one in use. */
  refill(): Promise<void>
  /** Once the model is known: an index of its length, and vectors for rows that have none of it. */
  settle(): Promise<void>
  /** Takes up other models: the index is filled for them first, then `flip` puts them in force. */
  change(next: Models, flip: () => void): Promise<void>
}

interface UpkeepOptions {
  readonly partsOf: () => Omit<EngineParts, 'index'> & { index: EngineParts['index'] }
  readonly runnerOf: () => JobRunner
  readonly listeners: Set<(event: EngineEvent) => void>
  /** Of the vectors that the store holds, as the engine found it. */
  readonly stored: VectorModel | null
}

export function createVectorUpkeep({ partsOf, runnerOf, listeners, stored }: UpkeepOptions): VectorUpkeep {
  let filled = stored
  // An index is opened without the vectors of keys.
  let reindexing = stored !== null

  async function fill(embedder: Pick<Embedder, 'id' | 'dim'> | null, flip: () => void): Promise<void> {
    const parts = partsOf()
    const { reader } = parts.database
    const dim = embedder?.dim ?? filled?.dim ?? DEFAULT_DIM
    const model = embedder?.id ?? filled?.model ?? null
    const index = createHotIndex({ dim })
    // What is committed meanwhile goes into the index that is in use: it is read once more for the new one.
    const meanwhile = new Map<string, string>()
    const note = (event: EngineEvent): void => void (event.type === 'memory.changed' && meanwhile.set(event.memory_id, event.org))
    listeners.add(note)
    try {
      for await (const _ of fillIndex(reader, index, model));
      await fillKeyVectors(reader, index, model, parts.stopping)
      for (let [next] = meanwhile; next; [next] = meanwhile) {
        meanwhile.delete(next[0])
        await indexRows(reader, index, next[1], [next[0]], model)
      }
      // In one step: a vector of the other length must find no index that does not take it.
      parts.index = index
      flip()
      filled = model === null ? null : { model, dim }
    } finally {
      listeners.delete(note)
    }
  }

  const refill = (): Promise<void> => fill(partsOf().models.embedder, () => {})

  async function settle(): Promise<void> {
    const parts = partsOf()
    await parts.models.settled
    parts.publish({ type: 'engine.state', degraded: degradedOf(parts) })
    const { embedder } = parts.models
    reindexing = embedder !== null && !parts.stopping.aborted
    if (!embedder || parts.stopping.aborted) return
    try {
      if (embedder.dim !== (filled?.dim ?? DEFAULT_DIM) || (filled !== null && filled.model !== embedder.id)) await refill()
      else await fillKeyVectors(parts.database.reader, parts.index, embedder.id, parts.stopping)
      await runnerOf().runNow(embedMissing.name)
    } catch (error) {
      parts.log.error({ err: error }, 'vectors could not be made')
    } finally {
      reindexing = false
      parts.publish({ type: 'engine.state', degraded: degradedOf(parts) })
    }
  }

  return {
    get reindexing() {
      return reindexing
    },
    refill,
    settle,
    async change(next, flip) {
      await next.settled
      if (partsOf().stopping.aborted) return
      await fill(next.embedder, () => {
        // From the first moment: nothing is embedded by it yet.
        reindexing = true
        partsOf().unembedded.sweepSoon()
        flip()
      })
      await settle()
    },
  }
}
