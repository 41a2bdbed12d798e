/** `npm run server`: makes the clone ready if it is not, then runs the sync server. */
import { ensure } from './ensure.mjs'
import { ensurePrepared } from './prepare.mjs'
import { runBuilt } from './run.mjs'

await ensure({ build: true })
ensurePrepared()
await runBuilt('sync-server.js', process.argv.slice(2))
