import { createContext, use, type ReactNode } from 'react'
import type { Client } from '../../shared/client/create-client.ts'
import type { HOST_CALLS, HostAnswers, HostCallName } from '../../shared/contract/host-calls.ts'
import type { IpcBridge } from '../../shared/client/ipc-link.ts'
import type { Orgs } from './places.ts'

/** Asks the host what is of this computer, not of a memory. Once: nothing is tried again by itself. */
export type AskHost = <N extends HostCallName>(name: N, input: (typeof HOST_CALLS)[N]['_zod']['input']) => Promise<HostAnswers[N]>

/** The typed client, and the same on which calls go to the orgs that are named. */
export type LoomClient = Client & { readonly host: AskHost; within(orgs: Orgs): LoomClient }

declare global {
  interface Window {
    /** Given by the desktop's preload; a browser does not have it. */
    readonly loom?: IpcBridge
  }
}

const ClientContext = createContext<LoomClient | null>(null)

export function ClientProvider({ client, children }: { client: LoomClient; children: ReactNode }) {
  return <ClientContext value={client}>{children}</ClientContext>
}

export function useClient(): LoomClient {
  const client = use(ClientContext)
  if (!client) throw new Error('No client: render inside ClientProvider.')
  return client
}
