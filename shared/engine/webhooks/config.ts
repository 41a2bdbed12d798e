/** Settings of the change webhooks; times in seconds. */
export interface WebhookConfig {
  /** Webhooks of a namespace. */
  readonly maxPerNamespace: number
  readonly allowHttp: boolean
  /** Host names and addresses exempt from the address check, as a URL has them. */
  readonly privateHosts: readonly string[]
  /** From the look-up of the name to the status line. */
  readonly ackTimeout: number
  /** Waits after the first failures. */
  readonly backoffSteps: readonly number[]
  /** Every later wait, and cap of all. */
  readonly maxBackoff: number
  readonly maxAttempts: number
  /** Of one webhook in one pass. */
  readonly postsPerWebhook: number
  readonly maxPostsPerPass: number
  /** POSTs at once. */
  readonly concurrency: number
  /** Failed POSTs in a row. */
  readonly failuresBeforeCooldown: number
  readonly cooldown: number
  readonly maxCooldown: number
  /** End of a pass that is kept for storing outcomes. */
  readonly reserve: number
  readonly maxPass: number
  /** How long after its removal a pass still ends a webhook's events, in leases. */
  readonly removalWindowLeases: number
  /** Age of a process's list of webhooks. */
  readonly refresh: number
  /** False: events are stored and not sent. */
  readonly deliverEnabled: boolean
}

export const DEFAULT_WEBHOOKS: WebhookConfig = {
  maxPerNamespace: 10,
  allowHttp: false,
  privateHosts: [],
  ackTimeout: 10,
  backoffSteps: [5, 30, 120, 600, 1800],
  maxBackoff: 3600,
  maxAttempts: 60,
  postsPerWebhook: 10,
  maxPostsPerPass: 40,
  concurrency: 4,
  failuresBeforeCooldown: 5,
  cooldown: 60,
  maxCooldown: 3600,
  reserve: 20,
  maxPass: 120,
  removalWindowLeases: 12,
  refresh: 10,
  deliverEnabled: true,
}

/** How long a pass holds an event that it takes, in milliseconds. */
export const EVENT_LEASE_MS = 150_000
export const DAY_MS = 86_400_000
/** Milliseconds after the change at which an event without a usable secret, and any event, is dead. */
export const NO_SECRET_AFTER_MS = 2.5 * DAY_MS
export const TOO_LATE_AFTER_MS = 2.75 * DAY_MS
/** How long events are read. */
export const KEPT_MS = 3 * DAY_MS
