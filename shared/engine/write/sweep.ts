import { sql } from 'kysely'
import { isLoomError } from '../../contract/errors.ts'
import { parseJson } from '../../contract/json.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Database } from '../db/database.ts'
import { storeError } from '../db/store-error.ts'
import type { PrepareContext } from '../handler.ts'
import { headById, lockKeys, type Head } from '../store/memories.ts'
import { transact } from '../transact.ts'
import { blacklistText, matchesPattern } from './blacklist.ts'
import { deleteRow } from './delete-row.ts'
import { isLive, lockOf } from './state.ts'

export interface SweptPattern {
  readonly blacklist_id: string
  readonly pattern_type: string
  readonly pattern: string
}

/** Namespaces that a sweep looks through. */
export interface Reach {
  readonly org: string
  readonly namespaces: readonly string[]
}

export interface Sweep {
  matched: number
  swept: number
  skipped_locked: number
  swept_truncated: boolean
  sweep_error: string
  examples: { memory_key: string; memory_id: string; namespace: string; blacklist_id: string }[]
}

export const NOT_SWEPT: Sweep = { matched: 0, swept: 0, skipped_locked: 0, swept_truncated: false, sweep_error: '', examples: [] }

export const SWEEP_LIMIT = 1000
const MOST_EXAMPLES = 20
const BATCH = 100

/** Rows that a sweep may take: served ones, and proposals. */
const SWEPT_STATUS = ['active', 'conflicted', 'duplicate', 'proposed']

function matching(value: string | null, patterns: readonly SweptPattern[]): SweptPattern | undefined {
  if (value === null) return undefined
  const text = blacklistText(parseJson(value) as Json)
  return patterns.find((pattern) => matchesPattern(pattern.pattern_type, pattern.pattern, text))
}

async function* rowsOf(database: Database, org: string, namespace: string): AsyncGenerator<Pick<Head, 'memory_id' | 'value'>> {
  for (let after = ''; ;) {
    const { rows } = await sql<Pick<Head, 'memory_id' | 'value'>>`SELECT memory_id, value FROM loom.memory
      WHERE org = ${org} AND namespace = ${namespace} AND memory_id > ${after} AND erased_by = ''
        AND status = any(${SWEPT_STATUS}::text[]) ORDER BY memory_id LIMIT ${BATCH}`.execute(database.reader)
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    after = last.memory_id
  }
}

type Outcome = 'swept' | 'locked' | 'full' | 'gone'

/** Looks at the row again, and retires it unless a lock holds it. */
async function sweepRow(
  org: string,
  memoryId: string,
  patterns: readonly SweptPattern[],
  full: boolean,
  options: SweepOptions,
  context: PrepareContext,
): Promise<{ outcome: Outcome; head: Head | null; pattern: SweptPattern | undefined }> {
  return transact({ ...context, now: new Date(context.parts.clock()) }, async (write) => {
    const before = await headById(write.tx, org, memoryId)
    if (before) await lockKeys(write.tx, context.parts.database.kind, [`${org}/${before.namespace}/${before.memory_key}`])
    const head = await headById(write.tx, org, memoryId)
    const served = head !== null && (head.status === 'proposed' || isLive(head, write.now))
    const pattern = served ? matching(head.value, patterns) : undefined
    if (!head || !pattern) return { outcome: 'gone', head, pattern }
    if (lockOf(head, write.now)) return { outcome: 'locked', head, pattern }
    if (full) return { outcome: 'full', head, pattern }
    if (!options.dryRun) await deleteRow(head, options.op, write)
    return { outcome: 'swept', head, pattern }
  })
}

export interface SweepOptions {
  readonly op: string
  readonly limit: number
  readonly dryRun: boolean
}

/**
 * Retires rows that match a pattern, whoever wrote them, each in a transaction of its own. A lock of either mode skips
 * its row. Stops at `limit` rows; a failure midway is told, and what was swept before stays swept.
 */
export async function sweepRows(
  patterns: readonly SweptPattern[],
  reach: readonly Reach[],
  options: SweepOptions,
  context: PrepareContext,
): Promise<Sweep> {
  const sweep: Sweep = { ...NOT_SWEPT, examples: [] }
  const { parts, caller } = context
  let taken = 0
  try {
    for (const { org, namespaces } of reach) {
      for (const namespace of namespaces) {
        for await (const row of rowsOf(parts.database, org, namespace)) {
          if (caller.signal?.aborted) return { ...sweep, swept_truncated: true }
          if (!matching(row.value, patterns)) continue
          const full = taken >= options.limit
          const { outcome, head, pattern } = await parts.exclusive.run(`${org}/${namespace}`, () =>
            sweepRow(org, row.memory_id, patterns, full, options, context),
          )
          if (outcome === 'full') return { ...sweep, swept_truncated: true }
          if (!head || !pattern || outcome === 'gone') continue
          sweep.matched++
          if (outcome === 'locked') sweep.skipped_locked++
          else taken++
          if (outcome === 'swept' && !options.dryRun) sweep.swept++
          if (sweep.examples.length < MOST_EXAMPLES) {
            sweep.examples.push({ memory_key: head.memory_key, memory_id: head.memory_id, namespace, blacklist_id: pattern.blacklist_id })
          }
        }
      }
    }
  } catch (error) {
    parts.log.error({ err: error, op: options.op, request_id: caller.requestId }, 'a sweep stopped midway')
    const known = isLoomError(error) ? error : storeError(error)
    sweep.sweep_error = known
      ? `${known.code}: ${known.message}`
      : `INTERNAL: the sweep stopped; the log has the cause under ${caller.requestId}.`
  }
  return sweep
}
