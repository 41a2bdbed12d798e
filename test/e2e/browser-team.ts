import { expect, vi } from 'vitest'
import { cutLine, type CutLine } from '../helpers/cut-line.ts'
import { post, scratchHome } from '../helpers/headless.ts'
import { startServer } from '../sync-server/server-process.ts'
import type { BrowserHost } from './browser-window.ts'
import { PATIENCE } from './eventually.ts'

/** A real server of the org acme, which has the namespace chat. */
export interface TeamServer extends AsyncDisposable {
  readonly url: string
  /** To the same server, and it can be cut. */
  readonly line: CutLine
  /** As somebody else of the team, straight at the server. */
  call(op: string, input: Record<string, unknown>): Promise<Record<string, unknown>>
}

export async function openTeamServer(settings: Readonly<Record<string, string>> = {}): Promise<TeamServer> {
  const { home, drop } = await scratchHome()
  const server = await startServer({ LOOM_SERVER_HOME: home, LOOM_ORG: 'acme', ...settings })
  const line = await cutLine(server.url)
  const team: TeamServer = {
    url: server.url,
    line,
    async call(op, input) {
      const { status, body } = await post(server.url, op, input, { authorization: `Bearer ${server.token()}` })
      expect(status, `${op}: ${JSON.stringify(body)}`).toBe(200)
      return body
    },
    async [Symbol.asyncDispose]() {
      await line[Symbol.asyncDispose]()
      await server.stop()
      await drop()
    },
  }
  await vi.waitFor(() => expect(server.token()).not.toBeNull(), { timeout: PATIENCE })
  await team.call('namespace.register', { namespace: 'chat', description: 'What the team talks about' })
  return team
}

/** Connects a computer as Alice's, over the line. */
export async function connectAlice(host: BrowserHost, team: TeamServer, grants: Readonly<Record<string, string>>): Promise<void> {
  const { code } = await team.call('pair.create', { subject: 'alice', grants })
  await host.call('sync.connect', { server_url: team.line.url, code, device_name: 'alice-mbp' })
  await untilInStep(host)
}

/** Until the host has nothing to send, and has all that the server has. */
export async function untilInStep(host: BrowserHost): Promise<void> {
  await vi.waitFor(
    async () => expect(await host.call('sync.status', {})).toMatchObject({ state: 'idle', queued: 0, erasures_failed: [] }),
    {
      timeout: PATIENCE,
      interval: 200,
    },
  )
}
