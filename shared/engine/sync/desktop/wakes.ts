import { networkInterfaces } from 'node:os'

/** Often enough that whoever opens the lid hardly waits, and so rarely that it costs nothing. */
const LOOK_MS = 2000
/** A look that comes so much too late was slept over: a busy thread is late by less. */
const LATE_MS = 6000

export interface WakesOptions {
  readonly lookMs?: number
  readonly lateMs?: number
  /** The addresses of this machine, as one text. */
  readonly addresses?: () => string
}

function ownAddresses(): string {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  return all
    .filter(({ internal }) => !internal)
    .map(({ cidr, address }) => cidr ?? address)
    .sort()
    .join(' ')
}

/**
 * Says when the machine has woken from sleep, or is on another network: lines that were open then may be dead, and nobody tells.
 * Answers how to stop.
 */
export function watchWakes(
  onWake: () => void,
  { lookMs = LOOK_MS, lateMs = LATE_MS, addresses = ownAddresses }: WakesOptions = {},
): () => void {
  let at = Date.now()
  let where = addresses()
  const timer = setInterval(() => {
    const now = Date.now()
    const here = addresses()
    // A network that is gone is no other one: what can be reached is tried again when one is there.
    const isElsewhere = here !== where && here !== ''
    const slept = now - at > lookMs + lateMs
    at = now
    where = here
    if (slept || isElsewhere) onWake()
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}
