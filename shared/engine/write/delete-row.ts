import { sql } from 'kysely'
import type { WriteContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { reviseRow } from './revise-row.ts'
import { tombstone } from './tombstone.ts'

export interface LeftSummary {
  readonly memory_key: string
  readonly status: 'conflicted' | 'superseded'
}

/** Live summaries that were built from a row, as they now are. */
async function summariesOf(head: Head, context: WriteContext): Promise<Head[]> {
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory_summary s
    JOIN loom.memory m ON m.org = s.org AND m.memory_id = s.memory_id AND m.version = s.version
    WHERE s.org = ${head.org} AND s.source_id = ${head.memory_id} AND m.memory_type <> 'profile' AND m.erased_by = ''
      AND m.status IN ('active', 'conflicted', 'duplicate') ORDER BY m.memory_key`.execute(context.tx)
  return rows
}

/**
 * A summary loses a deleted source: with none left it is superseded, with some left conflicted, each as a version of
 * its own with an audit row (CHG028, CHG029).
 */
export async function leaveSummaries(head: Head, op: string, outer: WriteContext): Promise<LeftSummary[]> {
  // Of what goes with its source no webhook is told (WHK044).
  const context: WriteContext = { ...outer, changed: () => {} }
  const left: LeftSummary[] = []
  for (const summary of await summariesOf(head, context)) {
    const sources = await context.tx
      .selectFrom('memory_summary')
      .select('source_id')
      .where('org', '=', head.org)
      .where('memory_id', '=', summary.memory_id)
      .where('version', '=', summary.version)
      .where('source_id', '<>', head.memory_id)
      .execute()
    const retired = { status: 'superseded', superseded_at: context.now, invalid_at: context.now }
    const revised = await reviseRow(summary, sources.length === 0 ? retired : { status: 'conflicted' }, op, context)
    await context.tx
      .deleteFrom('memory_summary')
      .where('org', '=', head.org)
      .where('memory_id', '=', summary.memory_id)
      .where('version', '=', revised.version)
      .where('source_id', '=', head.memory_id)
      .execute()
    left.push({ memory_key: summary.memory_key, status: sources.length === 0 ? 'superseded' : 'conflicted' })
  }
  return left
}

/** Retires a row as memory.delete does. The caller has passed the guards. */
export async function deleteRow(head: Head, op: string, context: WriteContext): Promise<{ dead: Head; summaries: LeftSummary[] }> {
  const dead = await tombstone(head, op, context)
  return { dead, summaries: await leaveSummaries(head, op, context) }
}
