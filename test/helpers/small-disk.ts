import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of its own that can be filled. */
export interface SmallDisk extends AsyncDisposable {
  readonly folder: string
  free(): Promise<number>
  /** Takes all of its room but so many bytes. */
  fill(left: number): Promise<void>
  makeRoom(): Promise<void>
}

const FILLER = 'filler'

/** Mounts a memory disk, which needs the rights to. */
export async function smallDisk(megabytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'loom-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  if (mounted.status !== 0) throw new Error('this test needs a small disk of its own')
  const free = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  }
  const makeRoom = (): Promise<void> => rm(join(folder, FILLER), { force: true })
  return {
    folder,
    free,
    makeRoom,
    async fill(left) {
      await makeRoom()
      await writeFile(join(folder, FILLER), Buffer.alloc(Math.max(0, (await free()) - left)))
    },
    async [Symbol.asyncDispose]() {
      spawnSync('umount', ['-l', folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
