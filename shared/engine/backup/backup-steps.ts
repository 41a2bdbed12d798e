import { LoomError } from '../../contract/errors.ts'
import type { BackupProgress } from '../../contract/ops/backup/create.ts'
import type { BackupWatch } from './port.ts'

/** Often enough for a bar that moves. Milliseconds. */
const TELL_EVERY_MS = 100

const WORDS: Readonly<Record<BackupProgress['step'], string>> = {
  copying: 'Copying the database',
  checking: 'Opening the copy',
  packing: 'Packing the copy',
}

/** How far a backup is: each of these throws CANCELLED once its watcher has ended it. */
interface BackupSteps {
  /** So many bytes of a file of `all` bytes in sum are copied. */
  copied(bytes: number, all: number): void
  checking(): void
  /** So many bytes of the copy went into the archive. */
  packed(bytes: number, all: number): void
  goOn(): void
}

/** Tells a watcher of the steps of a backup, in order. */
export function backupSteps({ tell, signal }: BackupWatch): BackupSteps {
  let done = 0
  let last = Number.NEGATIVE_INFINITY
  const goOn = (): void => {
    if (signal?.aborted) throw new LoomError('CANCELLED', 'The backup was ended. The others are as they were.')
  }
  const say = (step: BackupProgress['step'], all: number): void =>
    tell?.({ step, bytes_done: Math.min(done, all), bytes_total: all, text: WORDS[step] })
  const count = (step: BackupProgress['step']) => (bytes: number, all: number) => {
    goOn()
    done += bytes
    const now = performance.now()
    if (now - last < TELL_EVERY_MS && done < all) return
    last = now
    say(step, all)
  }
  const next = (): void => {
    done = 0
    last = Number.NEGATIVE_INFINITY
  }
  let packing = false
  return {
    copied: count('copying'),
    checking() {
      goOn()
      next()
      say('checking', 0)
    },
    packed(bytes, all) {
      if (!packing) next()
      packing = true
      count('packing')(bytes, all)
    },
    goOn,
  }
}
