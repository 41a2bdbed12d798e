import { fsyncSync } from 'node:fs'
import { NodeFS } from '@electric-sql/pglite/nodefs'

type Init = Parameters<NodeFS['init']>
type Made = Awaited<ReturnType<NodeFS['init']>>

interface NodeStream {
  readonly nfd: number | undefined
}
interface EmscriptenFs {
  readonly filesystems: { readonly NODEFS: { readonly stream_ops: { fsync?: (stream: NodeStream) => number } } }
}

/**
 * The folder of a PGlite, with the fsync that Emscripten's node file system lacks: without it a power cut can lose or
 * corrupt committed data, whatever Postgres believes. It is there before Postgres starts, since what crash recovery
 * writes must be on disk before the log that it was read from goes.
 */
export class SyncingNodeFs extends NodeFS {
  /** Calls so far: a commit makes one, a checkpoint several. */
  calls = 0

  override async init(...[pg, options]: Init): Promise<Made> {
    const made = await super.init(pg, options)
    const { emscriptenOpts } = made
    const give = (module: { readonly FS: unknown }): void => {
      ;(module.FS as EmscriptenFs).filesystems.NODEFS.stream_ops.fsync = ({ nfd }) => {
        // A folder has no descriptor here; Node cannot sync one on every system, and Postgres does not insist.
        if (nfd === undefined) return 0
        fsyncSync(nfd)
        this.calls++
        return 0
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), give] } }
  }
}
