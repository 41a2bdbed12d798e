#!/usr/bin/env node
/** The command `loom`: makes the clone ready if it is not, then runs the built command line in this process. */
import { ensure } from '../install/ensure.mjs'

await ensure({ build: true })
await import(new URL('../../out/main/cli.js', import.meta.url).href)
