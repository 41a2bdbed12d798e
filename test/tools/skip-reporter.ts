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

/** What failed of a file: its tests by name, or the file itself where it is a hook or the loading. */
function failuresOf(module: TestModule): string[] {
  const tests = [...module.children.allTests('failed')].map((test) => test.fullName)
  return tests.length > 0 || module.ok() ? tests : ['as a whole']
}

/** At the end, lists what needed a second try, what was skipped and why, one line a reason, and closes with one plain line of counts. */
export class SkipReporter implements Reporter {
  private filtered = false
  /** Every file as its last try left it, and what failed of it in the try before. */
  private readonly files = new Map<string, { module: TestModule; failedBefore: readonly string[] }>()
  private errors = 0

  onInit(vitest: Vitest): void {
    this.filtered = vitest.config.testNamePattern !== undefined
    vitest.onClose(() => this.close())
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    this.errors += errors.length
    for (const module of modules) {
      const id = `${module.project.name} ${module.moduleId}`
      const before = this.files.get(id)
      this.files.set(id, { module, failedBefore: before ? failuresOf(before.module) : [] })
    }
  }

  private close(): void {
    const reasons = new Map<string, Map<string, number>>()
    const count = { passed: 0, failed: this.errors, skipped: 0 }
    const flaky: string[] = []
    for (const { module, failedBefore } of this.files.values()) {
      // A file or a suite whose hooks or loading failed has failed, whatever became of its tests.
      count.failed += [module, ...module.children.allSuites()].reduce((sum, part) => sum + part.errors().length, 0)
      const failed = failuresOf(module)
      flaky.push(...failedBefore.filter((name) => !failed.includes(name)).map((name) => `  ${module.relativeModuleId}: ${name}`))
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        count[state === 'pending' ? 'skipped' : state]++
        if (state !== 'skipped') continue
        // Tests left out by `-t` are not what a reader has to know of.
        const reason = reasonOf(test) ?? (this.filtered ? undefined : 'no reason given')
        if (reason === undefined) continue
        const files = reasons.get(reason) ?? new Map<string, number>()
        reasons.set(reason, files.set(module.relativeModuleId, (files.get(module.relativeModuleId) ?? 0) + 1))
      }
    }
    if (flaky.length > 0) console.log(['Passed at the second try:', ...flaky].join('\n'))
    if (reasons.size > 0) console.log('Skipped:')
    for (const [reason, files] of reasons) {
      console.log(`  ${reason}`)
      for (const [file, tests] of files) console.log(`    ${file} (${tests})`)
    }
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
  }
}
