import type { Clock } from '../clock.ts'
import type { WebhookConfig } from './config.ts'

/** Webhooks that are passed over because their POSTs fail. In the memory of this process: a restart starts afresh. */
export interface Cooldowns {
  isCooling(webhookId: string): boolean
  failed(webhookId: string): void
  succeeded(webhookId: string): void
}

type Settings = Pick<WebhookConfig, 'failuresBeforeCooldown' | 'cooldown' | 'maxCooldown'>

export function createCooldowns({ failuresBeforeCooldown, cooldown, maxCooldown }: Settings, clock: Clock): Cooldowns {
  /** `next`: length of the cooldown to come, in milliseconds; once one was, each failure starts another. */
  const known = new Map<string, { failures: number; until: number; next: number; hadOne: boolean }>()
  return {
    isCooling: (webhookId) => (known.get(webhookId)?.until ?? 0) > clock(),
    failed(webhookId) {
      const state = known.get(webhookId) ?? { failures: 0, until: 0, next: Math.min(cooldown, maxCooldown) * 1000, hadOne: false }
      known.set(webhookId, state)
      state.failures++
      if (!state.hadOne && state.failures < failuresBeforeCooldown) return
      state.until = clock() + state.next
      state.next = Math.min(state.next * 2, maxCooldown * 1000)
      state.hadOne = true
    },
    succeeded: (webhookId) => void known.delete(webhookId),
  }
}
