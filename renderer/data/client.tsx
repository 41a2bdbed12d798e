import { createContext, use, type ReactNode } from 'react'
import { createClient, type Client } from '../../shared/client/create-client.ts'
import { httpLink } from '../../shared/client/http-link.ts'
import { ipcLink, type IpcBridge } from '../../shared/client/ipc-link.ts'

export type LoomClient = Client

declare global {
  interface Window {
    /** Given by the desktop's preload; a browser does not have it. */
    readonly loom?: IpcBridge
  }
}

/** Inside the desktop over its bridge, in a browser over the address that served this page. */
export function connect(): LoomClient {
  return createClient(window.loom ? ipcLink(window.loom) : httpLink({ baseUrl: location.origin }))
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
