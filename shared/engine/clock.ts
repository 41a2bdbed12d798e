/** The wall clock as a port, in milliseconds since 1970. */
export type Clock = () => number

/** Makes versions: unix nanoseconds, strictly increasing on this host even when the wall clock goes back. */
export interface VersionClock {
  /** The next version; above `floor` too, the head that it follows. */
  next(floor?: bigint): bigint
  /** Takes note of a version made elsewhere. */
  observe(version: bigint): void
  /** Milliseconds by which the last version is ahead of the wall clock. */
  ahead(): number
}

/** A row has no version above this, the greatest that the store can hold; a call may name one. */
export const GREATEST_VERSION = 2n ** 63n - 1n

const NS_PER_MS = 1_000_000n

/** A hybrid logical clock that starts after `last`, the greatest version of the store. */
export function createVersionClock(clock: Clock, last: bigint): VersionClock {
  let latest = last
  return {
    next(floor = 0n) {
      const wall = BigInt(clock()) * NS_PER_MS
      const above = (latest > floor ? latest : floor) + 1n
      latest = wall > above ? wall : above
      return latest
    },
    observe(version) {
      if (version > latest) latest = version
    },
    ahead: () => Number((latest - BigInt(clock()) * NS_PER_MS) / NS_PER_MS),
  }
}
