import { sql } from 'kysely'
import type { Database, Queryable } from '../db/database.ts'
import { compactChanges } from './change-log.ts'
import { isShapeName, SHAPES } from './definitions.ts'
import { fanOut } from './fan-out.ts'
import type { ErasureScope } from './filters.ts'
import { endHandles, handlesIn, liveHandles, lockShapes } from './handles.ts'
import { SERVED } from './served.ts'

/** What an erasure took from the logs. */
export interface ErasedLogs {
  /** Entries of the change log. */
  readonly changes: number
  /** Entries of the logs of shapes. */
  readonly entries: number
  readonly handles: number
}

const holdsContent = (shape: string): boolean => isShapeName(shape) && SHAPES[shape].content
const CONTENT = Object.keys(SHAPES).filter(holdsContent)
/** Tables of those. What else followers are told, such as the settings of a namespace, an erasure keeps. */
const TABLES = [...new Set(CONTENT.flatMap((shape) => (isShapeName(shape) ? [SHAPES[shape].relation[1]] : [])))]

/**
 * Takes a scope out of what followers are told: every handle whose filter meets it ends with its log, and the change
 * log is fanned out to the rest and dropped. Called when the rows themselves are gone (step delete.sync); followers of
 * the ended handles start over from what is left. Safe to repeat. Shapes that Electric holds are marked: call
 * `Electric.removeGone` after it.
 */
export async function eraseShapeLogs(database: Database, scope: ErasureScope): Promise<ErasedLogs> {
  const { org } = scope
  const ended = await database.transaction(async (tx) => {
    await lockShapes(tx, database.kind, org)
    const handles = handlesIn(await liveHandles(tx, org), scope, holdsContent)
    const { rows } = await sql<{ entries: number }>`SELECT count(*)::int AS entries FROM loom.shape_log
      WHERE org = ${org} AND handle = ANY(${handles}::text[])`.execute(tx)
    await endHandles(tx, org, handles, new Date())
    return { handles: handles.length, entries: rows[0]?.entries ?? 0 }
  })
  await fanOut(database, new Map(Object.entries(SERVED)), org)
  const changes = await database.transaction((tx) => compactChanges(tx, org, null))
  return { ...ended, changes }
}

/** How many entries of a scope are left that were made before the fence `seq`: the census of these two stores. */
export async function countShapeLogs(
  db: Queryable,
  { org, namespaces, user_id }: ErasureScope,
  seq: bigint,
): Promise<{ readonly change_log: number; readonly shape_log: number }> {
  const ofContent = {
    change_log: sql`relation = ANY(${TABLES}::text[])`,
    shape_log: sql`handle IN (SELECT h.handle FROM loom.shape_handle h WHERE h.org = ${org} AND h.shape = ANY(${CONTENT}::text[]))`,
  }
  const count = async (table: 'change_log' | 'shape_log'): Promise<number> => {
    const { rows } = await sql<{ left: number }>`SELECT count(*)::int AS left FROM ${sql.table(`loom.${table}`)}
      WHERE org = ${org} AND ${ofContent[table]} AND erasure_seq < ${seq} AND namespace <> ''
        AND (${namespaces === null} OR namespace = ANY(${[...(namespaces ?? [])]}::text[]))
        AND (${user_id} = '' OR user_id = ${user_id})`.execute(db)
    return rows[0]?.left ?? 0
  }
  return { change_log: await count('change_log'), shape_log: await count('shape_log') }
}
