import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'

/** Why a test was skipped: its own words, or those of the nearest `needs(...)` around it. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result()
  if (result.state === 'skipped' && result.note) return result.note
  for (let at: TestCase | TestSuite | TestModule = test; at.type !== 'module'; at = at.parent) {
    const reason = at.meta().skipReason
    if (reason) return reason
  }
  return undefined
}

/** After a run, lists what needed a second try, what was skipped and why, one line a reason, and closes with one plain line of counts. */
export class SkipReporter implements Reporter {
  private filtered = false

  onInit(vitest: Vitest): void {
    this.filtered = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const reasons = new Map<string, Map<string, number>>()
    const flaky: string[] = []
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      // A file that could not be loaded holds no test, and has failed all the same.
      count.failed += module.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        count[state === 'pending' ? 'skipped' : state]++
        if (test.diagnostic()?.flaky) flaky.push(`${module.relativeModuleId}: ${test.fullName}`)
        if (state !== 'skipped') continue
        // Tests left out by `-t` are not what a reader has to know of.
        const reason = reasonOf(test) ?? (this.filtered ? undefined : 'no reason given')
        if (reason === undefined) continue
        const files = reasons.get(reason) ?? new Map<string, number>()
        reasons.set(reason, files.set(module.relativeModuleId, (files.get(module.relativeModuleId) ?? 0) + 1))
      }
    }
    if (flaky.length > 0) console.log(['Passed at the second try:', ...flaky.map((name) => `  ${name}`)].join('\n'))
    if (reasons.size > 0) console.log('Skipped:')
    for (const [reason, files] of reasons) {
      console.log(`  ${reason}`)
      for (const [file, tests] of files) console.log(`    ${file} (${tests})`)
    }
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
  }
}
