import type { WriteContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { closePairsOf } from '../store/pairs.ts'
import { reviseRow } from './revise-row.ts'

/** Marks a row as wrong: version +1 with status rejected, out of search; its pin ends. memory.restore undoes it. */
export async function rejectRow(head: Head, op: string, context: WriteContext): Promise<Head> {
  const changes = { status: 'rejected', pinned: false, invalid_at: context.now, actor: context.actor }
  const rejected = await reviseRow(head, changes, op, context)
  if (await closePairsOf(context.tx, head.org, head.memory_id)) context.afterCommit(() => context.parts.wake('conflict_resolver'))
  return rejected
}
