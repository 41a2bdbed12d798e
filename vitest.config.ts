import { defineConfig } from 'vitest/config'
import { SkipReporter } from './test/tools/skip-reporter.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', new SkipReporter()],
    pool: 'forks',
    // PGlite and the models each keep a core busy: more workers than cores only makes time limits wrong.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
})
