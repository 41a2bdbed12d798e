/** A process of its own for the server of a bench: forked by team.ts. */
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const { module } = await runnerImport(fileURLToPath(new URL('team-server.ts', import.meta.url)), {
  configFile: false,
  logLevel: 'error',
  oxc: { target: 'node20' },
})
await /** @type {{ serveTeam: () => Promise<void> }} */ (module).serveTeam()
