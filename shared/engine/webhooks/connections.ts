import type { LookupAddress } from 'node:dns'
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'

/** Connections of one pass, one kept for each webhook while its host has the addresses that were checked. */
export interface Connections {
  of(webhookId: string, url: URL): (addresses: readonly LookupAddress[]) => Agent
  close(): void
}

export function createConnections(): Connections {
  const kept = new Map<string, { readonly name: string; readonly agent: Agent }>()
  return {
    of: (webhookId, url) => (addresses) => {
      const name = JSON.stringify([url.href, addresses.map(({ address }) => address).toSorted()])
      const known = kept.get(webhookId)
      if (known?.name === name) return known.agent
      known?.agent.destroy()
      const options = { keepAlive: true, maxSockets: 1 }
      const agent = url.protocol === 'https:' ? new TlsAgent(options) : new Agent(options)
      kept.set(webhookId, { name, agent })
      return agent
    },
    close() {
      for (const { agent } of kept.values()) agent.destroy()
    },
  }
}
