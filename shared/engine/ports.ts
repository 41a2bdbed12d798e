/**
 * What the engine needs from the world. Hosts make these once and pass them to `createEngine`; the engine never
 * reads the environment, the clock or a random source by itself.
 */

/** Turns texts into unit vectors. Implementations run off the thread that answers requests. */
export interface Embedder {
  /** Name of the model, stored beside every vector it makes. */
  readonly id: string
  /** Length of its vectors. */
  readonly dim: number
  /** Longest input in word pieces; the rest of a text is cut. */
  readonly maxTokens: number
  /** One unit vector per text, in order. Each text is embedded alone, so that no vector depends on its neighbours. */
  embed(texts: readonly string[]): Promise<Float32Array[]>
}

/** Probabilities, summing to 1, of what one claim is to another. */
export interface Relation {
  readonly duplicate: number
  readonly refines: number
  readonly conflict: number
  readonly clear: number
}

/** The cross-encoder behind the judge: reads both claims, says how they stand to each other. */
export interface RelationModel {
  readonly id: string
  /** One relation per pair, in order; texts are raw claim texts, values are put in one spelling inside. */
  relate(pairs: readonly { readonly a: string; readonly b: string }[]): Promise<Relation[]>
}

/**
 * The two models of a host. A getter answers null while its model is not loaded or after it broke: writes and
 * lexical search go on, and answers name what is missing in `degraded`.
 */
export interface Models {
  readonly embedder: Embedder | null
  readonly relation: RelationModel | null
  readonly state: 'loading' | 'ready' | 'unavailable'
  /** Texts waiting to be embedded. */
  readonly queue: number
  /** Resolves when loading has ended, well or not. */
  readonly settled: Promise<void>
  /** Resolves when that of the embedding model has, which comes first: a search waits for no other. */
  readonly embedderSettled: Promise<void>
  close(): Promise<void>
}
