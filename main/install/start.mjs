/** `npm start`: makes a clone ready if it is not, then opens the window, or the same host without one. */
import { openWindow } from './electron.mjs'
import { ensure } from './ensure.mjs'
import { ensurePrepared } from './prepare.mjs'
import { runBuilt } from './run.mjs'

const args = process.argv.slice(2)
const rest = args.filter((arg) => arg !== '--headless')

await ensure({ build: true })
ensurePrepared()
if (args.length !== rest.length || !(await openWindow(rest))) await runBuilt('headless.js', rest)
