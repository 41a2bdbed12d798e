import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { APP_IDS, TEST_STEPS, type AppId } from '../../shared/contract/host-calls.ts'
import { writeWhole } from '../../shared/engine/db/whole-file.ts'

/** What Loom did to the file of an app: enough to take it back, byte for byte. */
const Change = z.object({
  path: z.string(),
  /** Path of the copy; null where there was no file. */
  copy: z.string().nullable(),
  before: z.string(),
  after: z.string(),
})
const Test = z.object({
  at: z.string(),
  passed: z.array(z.object({ step: z.enum(TEST_STEPS), ms: z.number(), tools: z.number() })),
  cause: z.string(),
})
const Stored = z.object({ change: Change.nullable(), test: Test.nullable() })
export type AppRecord = z.infer<typeof Stored>

const FILE = 'apps.json'
const NONE: AppRecord = { change: null, test: null }

export interface AppRecords {
  of(app: AppId): AppRecord
  /** On disk when this resolves. */
  keep(app: AppId, part: Partial<AppRecord>): Promise<void>
}

/** `apps.json` of a data folder. One that is broken counts as none: the copies lie beside the files all the same. */
export async function openAppRecords(home: string): Promise<AppRecords> {
  const path = join(home, FILE)
  const read = await readFile(path, 'utf8').catch(() => '{}')
  let held: Partial<Record<AppId, AppRecord>> = {}
  try {
    held = z.partialRecord(z.enum(APP_IDS), Stored).parse(JSON.parse(read))
  } catch {
    held = {}
  }
  let writing: Promise<void> = Promise.resolve()
  return {
    of: (app) => held[app] ?? NONE,
    keep(app, part) {
      held = { ...held, [app]: { ...NONE, ...held[app], ...part } }
      const mine = writing.then(() => writeWhole(path, `${JSON.stringify(held, null, 2)}\n`))
      writing = mine.catch(() => undefined)
      return mine
    },
  }
}
