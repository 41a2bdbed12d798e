import { open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { Mutex } from '../db/mutex.ts'
import { syncNames } from '../db/disk-sync.ts'
import type { Fence } from './fence.ts'

/**
 * What must hold whatever becomes of the database: fences of erasures, and ended tokens and devices. One JSON line each,
 * in the data folder beside the database, on disk before anything is deleted for it.
 */

/** Its name in the data folder. */
export const LEDGER_FILE = 'erasure-ledger.jsonl'

const FenceLine = z.object({
  type: z.literal('fence'),
  org: z.string(),
  seq: z.coerce.bigint(),
  erasure_id: z.string(),
  namespace: z.string(),
  user_sha256: z.string(),
  collection: z.string(),
  purge: z.boolean(),
  requested_at: z.coerce.date(),
})
const EndedLine = z.object({
  type: z.enum(['token', 'device']),
  org: z.string(),
  id: z.string(),
  at: z.coerce.date(),
  wipe: z.boolean().default(false),
})
export type Ended = z.output<typeof EndedLine>

export interface LedgerFile {
  fences(): Promise<Fence[]>
  ended(): Promise<Ended[]>
  /** Adds what is not in it yet. On disk when this resolves. */
  addFences(fences: readonly Fence[]): Promise<void>
  addEnded(ended: readonly Ended[]): Promise<void>
}

/** For a store that lies in no data folder. */
export const NO_LEDGER_FILE: LedgerFile = {
  fences: () => Promise.resolve([]),
  ended: () => Promise.resolve([]),
  addFences: () => Promise.resolve(),
  addEnded: () => Promise.resolve(),
}

const fenceText = (fence: Fence): string =>
  JSON.stringify({
    type: 'fence',
    org: fence.org,
    seq: fence.seq.toString(),
    erasure_id: fence.erasure_id,
    namespace: fence.namespace,
    user_sha256: fence.user_sha256,
    collection: fence.collection,
    purge: fence.purge,
    requested_at: fence.requested_at.toISOString(),
  })
const endedText = ({ type, org, id, at, wipe }: Ended): string =>
  JSON.stringify({ type, org, id, at: at.toISOString(), ...(wipe && { wipe }) })
/** When it ended does not make a second end. */
const nameOf = (line: string): string => line.replace(/"at":"[^"]*",?/, '')

export function openLedgerFile(path: string): LedgerFile {
  const turn = new Mutex()

  /** Lines that are whole: a process killed in the middle of one leaves half a line at the end. */
  async function lines(): Promise<{ readonly all: string[]; readonly endsWhole: boolean }> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    return { all: text.split('\n').filter((line) => line !== ''), endsWhole: text === '' || text.endsWith('\n') }
  }

  const parsed = (line: string): unknown => {
    try {
      return JSON.parse(line)
    } catch {
      return null
    }
  }

  async function add(wanted: readonly string[]): Promise<void> {
    if (wanted.length === 0) return
    const release = await turn.acquire()
    try {
      const { all, endsWhole } = await lines()
      const known = new Set(all.map(nameOf))
      const fresh = wanted.filter((line) => !known.has(nameOf(line)))
      if (fresh.length === 0) return
      const file = await open(path, 'a', 0o600)
      try {
        await file.write(`${endsWhole ? '' : '\n'}${fresh.join('\n')}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      if (all.length === 0) await syncNames(dirname(path))
    } finally {
      release()
    }
  }

  return {
    async fences() {
      const read = (await lines()).all.map((line) => FenceLine.safeParse(parsed(line)))
      return read.flatMap(({ data }) => {
        if (!data) return []
        const { type: _type, ...fence } = data
        return [fence]
      })
    },
    async ended() {
      const read = (await lines()).all.map((line) => EndedLine.safeParse(parsed(line)))
      return read.flatMap(({ data }) => (data ? [data] : []))
    },
    addFences: (fences) => add(fences.map(fenceText)),
    addEnded: (ended) => add(ended.map(endedText)),
  }
}
