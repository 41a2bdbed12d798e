import type { Clock } from '../clock.ts'
import { resolveHost, type Resolve } from './addresses.ts'
import type { WebhookConfig } from './config.ts'
import { createCooldowns, type Cooldowns } from './cooldowns.ts'
import { createListeners, type Listeners } from './listeners.ts'
import type { SecretOf } from './secrets.ts'

const TIDY_EVERY_MS = 600_000

/** How a host reaches receivers. */
export interface WebhookOptions {
  readonly secretOf: SecretOf
  /** Left out: the look-up of the system. */
  readonly resolve?: Resolve
  /** Certificates to trust, in place of those that Node ships. */
  readonly ca?: string
}

/** Change webhooks of a server: a desktop has none of it. */
export interface Webhooks {
  readonly config: WebhookConfig
  readonly secretOf: SecretOf
  readonly resolve: Resolve
  readonly ca: string | undefined
  readonly listeners: Listeners
  readonly cooldowns: Cooldowns
  /** True once in a while: for what need not be done in each pass. */
  isTimeToTidy(): boolean
}

export function createWebhooks(config: WebhookConfig, { secretOf, resolve = resolveHost, ca }: WebhookOptions, clock: Clock): Webhooks {
  let tidied = -Infinity
  return {
    config,
    secretOf,
    resolve,
    ca,
    listeners: createListeners(config.refresh * 1000, clock),
    cooldowns: createCooldowns(config, clock),
    isTimeToTidy() {
      if (clock() - tidied < TIDY_EVERY_MS) return false
      tidied = clock()
      return true
    },
  }
}
