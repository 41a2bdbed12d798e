import type { TestProject } from 'vitest/node'
import { ensureBuilt } from '../main/install/build.mjs'
import { startDisplay } from './tools/display.ts'
import { makeTemp } from './tools/fast-temp.ts'
import { startPostgres } from './tools/postgres.mjs'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of a real Postgres with pgvector whose user may create databases, or why there is none. */
    postgres: { url: string | null; reason: string }
    /** An X display for windows, or why there is none. */
    display: { name: string | null; reason: string }
  }
  interface TaskMeta {
    /** Why a test was skipped; listed at the end of the run. */
    skipReason?: string
  }
}

/** Builds `out/` once when it is older than the sources, and starts what real tests need where it can be had. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  try {
    await ensureBuilt(say)
  } catch (error) {
    // While one part does not build, the tests of the others still run; in CI nothing excuses it.
    if (process.env.CI) throw error
    say(`Tests run on the last good build, if there is one: ${String(error)}`)
  }
  const removeTemp = makeTemp()
  const [postgres, display] = await Promise.all([startPostgres(), startDisplay()])
  project.provide('postgres', { url: postgres.url, reason: postgres.reason })
  project.provide('display', { name: display.name, reason: display.reason })
  return async () => {
    await Promise.all([postgres.stop(), display.stop()])
    removeTemp()
  }
}
