/**
 * `npm test`: what `vitest run` does with the same arguments, and then a second try for each file of the project `outside`
 * that failed: the whole file, in a new process, on new hosts. What one try left behind cannot spoil the next, and what needed
 * the second is named at the end (skip-reporter.ts).
 */
import { createVitest, parseCLI, TestsNotFoundError } from 'vitest/node'

const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)])
const vitest = await createVitest('test', { ...options, watch: false })
try {
  const { testModules, unhandledErrors } = await vitest.start(filter)
  const failed = testModules.filter((module) => !module.ok())
  const again = failed.filter((module) => module.project.name === 'outside')
  if (again.length > 0) {
    console.log(['Tried again, each in a new process:', ...again.map((module) => `  ${module.relativeModuleId}`), ''].join('\n'))
    // The second try says itself whether it failed.
    if (failed.length === again.length && unhandledErrors.length === 0) process.exitCode = 0
    await vitest.runTestSpecifications(again.map((module) => module.toTestSpecification()))
  }
} catch (error) {
  // Vitest has said that already.
  if (!(error instanceof TestsNotFoundError)) throw error
} finally {
  await vitest.exit()
}
