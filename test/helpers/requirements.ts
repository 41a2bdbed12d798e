import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inject, type TestOptions } from 'vitest'
import { findProgram } from '../tools/programs.ts'

/** Something real that a test runs on and a machine may lack. */
export interface Requirement {
  readonly available: boolean
  /** Why it is not there, and how to get it; empty where it is. */
  readonly reason: string
}

export interface Program extends Requirement {
  readonly path: string
  /** Flags it needs on this machine, before any of the test's own. */
  readonly args: readonly string[]
  /** Variables it needs on top of the test's own environment. */
  readonly env: Readonly<Record<string, string>>
}

export interface Database extends Requirement {
  /** Address with a user that may create databases. Take one of your own with `scratchDatabase`. */
  readonly url: string
}

/**
 * Options for `describe` or `test`: runs it where everything is there, and else skips it with the reason, which the
 * run lists at its end.
 *
 *     describe('the window', needs(electron()), () => { … })
 */
export function needs(...requirements: readonly Requirement[]): TestOptions {
  const missing = requirements.filter((one) => !one.available)
  return missing.length === 0 ? {} : { skip: true, meta: { skipReason: missing.map((one) => one.reason).join('; ') } }
}

/** A Chromium to drive with playwright-core: `chromium.launch({ executablePath: path, args })`. */
export function chromium(): Program {
  const path = process.env.LOOM_TEST_CHROMIUM ?? findProgram('chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome')
  return {
    available: path !== null,
    reason: path === null ? 'no Chromium on PATH (apt-get install chromium, or set LOOM_TEST_CHROMIUM)' : '',
    path: path ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    env: {},
  }
}

const electronPlaces = ['../../node_modules/.cache/loom/electron/electron', '../../node_modules/electron/dist/electron']

/** An Electron with a display: `_electron.launch({ executablePath: path, args: [...args, root], env })`. */
export function electron(): Program {
  const path = electronPlaces.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync)
  const display = inject('display')
  const reasons = [
    path ? '' : 'no Electron runtime for tests (node test/tools/prepare-electron.mjs)',
    display.name === null ? display.reason : '',
  ].filter(Boolean)
  return {
    available: reasons.length === 0,
    reason: reasons.join('; '),
    path: path ?? '',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    env: display.name ? { DISPLAY: display.name } : {},
  }
}

/** A real Postgres with pgvector. */
export function postgres(): Database {
  const { url, reason } = inject('postgres')
  return { available: url !== null, reason, url: url ?? '' }
}
