import { fstatSync, fsyncSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodeFS } from '@electric-sql/pglite/nodefs'
import { ClosingNodeFs } from './closing-fs.ts'
import { type Synced, syncTree } from './disk-sync.ts'

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
export class SyncingNodeFs extends ClosingNodeFs {
  /** Calls so far: a commit makes one, a checkpoint several. */
  calls = 0
  #synced: Synced = new Map()

  override async init(...[pg, options]: Init): Promise<Made> {
    // After a crash Postgres syncs every file before it recovers, one by one: seconds, where all at once is a fraction.
    if (!(await wasClosed(this.rootDir))) this.#synced = await syncTree(this.rootDir)
    const made = await super.init(pg, options)
    const { emscriptenOpts } = made
    const give = (module: { readonly FS: unknown }): void => {
      ;(module.FS as EmscriptenFs).filesystems.NODEFS.stream_ops.fsync = ({ nfd }) => {
        // A folder has no descriptor here; Node cannot sync one on every system, and Postgres does not insist.
        if (nfd !== undefined && !this.#isSynced(nfd)) {
          fsyncSync(nfd)
          this.calls++
        }
        return 0
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), give] } }
  }

  /** From now on every call reaches the disk: a change right after another may bear the same time. */
  started(): void {
    this.#synced = new Map()
  }

  #isSynced(nfd: number): boolean {
    if (this.#synced.size === 0) return false
    const { ino, ctimeNs } = fstatSync(nfd, { bigint: true })
    return this.#synced.get(ino) === ctimeNs
  }
}

/** Where `pg_control` holds the state of the cluster, and the state after an orderly shutdown. */
const STATE_OFFSET = 16
const SHUTDOWNED = 1

/** Whether a folder is empty or was closed in order, so that there is nothing to recover. */
async function wasClosed(dataDir: string): Promise<boolean> {
  try {
    await using control = await open(join(dataDir, 'global', 'pg_control'), 'r')
    const { bytesRead, buffer } = await control.read(Buffer.alloc(4), 0, 4, STATE_OFFSET)
    return bytesRead === 4 && buffer.readInt32LE() === SHUTDOWNED
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT'
  }
}
