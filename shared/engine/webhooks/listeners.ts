import type { Clock } from '../clock.ts'
import type { Tx } from '../db/database.ts'
import { listenersOf } from '../store/webhooks.ts'

export interface Listener {
  readonly webhookId: string
  readonly events: ReadonlySet<string>
}

type ByNamespace = ReadonlyMap<string, readonly Listener[]>

/** What this process knows of the webhooks of an org: as old as the setting allows, and never behind its own calls. */
export interface Listeners {
  /** Webhooks by namespace; null: not known, or too old. */
  known(org: string): ByNamespace | null
  /** Reads them in the transaction of a write. */
  read(tx: Tx, org: string): Promise<ByNamespace>
  forget(org: string): void
}

export function createListeners(refreshMs: number, clock: Clock): Listeners {
  const orgs = new Map<string, { readonly at: number; readonly byNamespace: ByNamespace }>()
  let forgotten = 0
  return {
    known(org) {
      const kept = orgs.get(org)
      return kept && clock() - kept.at < refreshMs ? kept.byNamespace : null
    },
    async read(tx, org) {
      const [at, before] = [clock(), forgotten]
      const byNamespace = new Map<string, Listener[]>()
      for (const { webhook_id, namespace, events } of await listenersOf(tx, org)) {
        const listener = { webhookId: webhook_id, events: new Set(events) }
        byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), listener])
      }
      // What was read while a registration of this process committed may lack it.
      if (before === forgotten) orgs.set(org, { at, byNamespace })
      return byNamespace
    },
    forget(org) {
      forgotten++
      orgs.delete(org)
    },
  }
}
