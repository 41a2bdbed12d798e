import { closeSync } from 'node:fs'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type Init = Parameters<NodeFS['init']>
type Made = Awaited<ReturnType<NodeFS['init']>>

interface Streams {
  readonly streams: readonly ({ readonly nfd?: number } | null | undefined)[]
}

/**
 * The folder of a PGlite whose files are closed whatever becomes of it. A Postgres that cannot start, or that gives up
 * half way, leaves them open: some sixty each time, and the room of deleted ones taken for as long as the process lives.
 */
export class ClosingNodeFs extends NodeFS {
  #files: Streams | null = null

  override async init(...[pg, options]: Init): Promise<Made> {
    const made = await super.init(pg, options)
    const { emscriptenOpts } = made
    const take = (module: { readonly FS: unknown }): void => void (this.#files = module.FS as Streams)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), take] } }
  }

  /** Closes what is open still; nothing of the database may be used after it. */
  closeFiles(): void {
    const open = this.#files?.streams ?? []
    this.#files = null
    for (const stream of open) {
      if (typeof stream?.nfd !== 'number') continue
      try {
        closeSync(stream.nfd)
      } catch {
        // Closed already.
      }
    }
  }
}
