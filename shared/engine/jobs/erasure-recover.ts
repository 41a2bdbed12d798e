import type { Job } from './job.ts'

/** Takes up erasures that failed and are due again, and those that a process left when it ended. */
export const erasureRecover: Job = {
  name: 'erasure_recover',
  everyMs: 30_000,
  async run(parts, signal) {
    await parts.erasures.recover(signal)
    return 'done'
  },
}
