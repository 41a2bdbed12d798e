import type { Relation } from '../ports.ts'

/** What the model worker is started with, as `workerData`. */
export interface WorkerSettings {
  readonly cacheDir: string
  readonly embeddingModel: string
  readonly relationDir: string
  readonly hub: string
  /** Threads of one inference. */
  readonly threads: number
}

/** One call; `background` calls wait for the others. */
export type WorkerRequest =
  | { readonly type: 'embed'; readonly id: number; readonly background: boolean; readonly texts: readonly string[] }
  | {
      readonly type: 'relate'
      readonly id: number
      readonly background: boolean
      readonly pairs: readonly { readonly a: string; readonly b: string }[]
    }
  | { readonly type: 'close' }

/** What the worker tells; `loaded` comes once, after both models were tried. */
export type WorkerMessage =
  | { readonly type: 'progress'; readonly step: string; readonly fraction: number }
  | {
      readonly type: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly message: string
      readonly cause: string | null
    }
  | { readonly type: 'embedder'; readonly id: string; readonly dim: number; readonly maxTokens: number }
  | { readonly type: 'relation'; readonly id: string }
  | { readonly type: 'loaded' }
  | { readonly type: 'vectors'; readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly type: 'relations'; readonly id: number; readonly relations: readonly Relation[] }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
