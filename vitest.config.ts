import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { SkipReporter } from './test/tools/skip-reporter.ts'
import { TEMP } from './test/tools/fast-temp.ts'

const TESTS = 'test/**/*.test.{ts,tsx}'
/** Files that start programs, share one engine (test/helpers/transports.ts), or set what a process has one of: each in a process of its own. */
const ALONE = ['test/{main,sync-server,transport}/**/*.test.ts', 'test/client/c*.test.ts', 'test/engine/db/ops-*.pg.test.ts']
/** Files that look at a real window, or at the command line from outside. */
const OUTSIDE = ['test/e2e/**/*.test.ts']

const settings = {
  pool: 'forks',
  env: { TMPDIR: TEMP },
  testTimeout: 30_000,
  hookTimeout: 60_000,
  teardownTimeout: 10_000,
} as const

const project = (name: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  test: { ...settings, ...test, name },
})

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', new SkipReporter()],
    // PGlite and the models each keep a core busy: more workers than cores only makes time limits wrong.
    maxWorkers: 2,
    projects: [
      // Reading the engine and loading the models anew for each file took half of the time.
      project('together', { include: [TESTS], exclude: [...ALONE, ...OUTSIDE], isolate: false }),
      project('alone', { include: ALONE }),
      // Programs, windows and browsers take their time where other work goes on. `npm test` tries a file again that failed: test/tools/run.mjs.
      project('outside', { include: OUTSIDE, testTimeout: 300_000, hookTimeout: 300_000 }),
    ],
  },
})
