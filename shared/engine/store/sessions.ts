import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { NewEvent } from './run-events.ts'
import { createRun, runOf } from './runs.ts'

/** The implicit run of an MCP session: begun by its first call, and going on where it had only lapsed. */
export async function seeSession(tx: Tx, first: NewEvent, runId: string, actor: string): Promise<void> {
  const { org, namespace, agent, user_id, session_id, at } = first
  const run = await runOf(tx, first, runId)
  if (!run) {
    await createRun(tx, {
      org,
      namespace,
      run_id: runId,
      agent: agent || 'mcp',
      user_id,
      session_id,
      actor,
      status: 'running',
      implicit: true,
      started_at: at,
    })
  } else if (run.implicit && run.lapsed) {
    await sql`UPDATE loom.run SET status = 'running', lapsed = false, completed_at = NULL, duration_ms = NULL
      WHERE org = ${org} AND namespace = ${namespace} AND run_id = ${runId}`.execute(tx)
  }
}

const ENDED = sql`completed_at = greatest(last_event_at, started_at), lapsed = true,
  duration_ms = (extract(epoch FROM greatest(last_event_at, started_at) - started_at) * 1000)::int8`

/** A session closed: its runs, in whatever namespace, are completed. */
export async function endSessions(tx: Tx, runId: string, now: Date): Promise<void> {
  await sql`UPDATE loom.run SET status = 'completed', lapsed = true, completed_at = ${now},
      duration_ms = greatest(0, (extract(epoch FROM ${now}::timestamptz - started_at) * 1000)::int8)
    WHERE status = 'running' AND implicit AND run_id = ${runId}`.execute(tx)
}

/**
 * Ends runs that time has passed by: sessions without a call are completed, runs without an event are cancelled.
 * @param but an org whose named runs are another host's to end
 */
export async function endIdle(tx: Tx, silentSince: { readonly session: Date; readonly named: Date }, but: string | null): Promise<number> {
  const { numAffectedRows } = await sql`UPDATE loom.run SET status = CASE WHEN implicit THEN 'completed' ELSE 'cancelled' END, ${ENDED}
    WHERE status = 'running' AND ((implicit AND last_event_at <= ${silentSince.session})
      OR (NOT implicit AND last_event_at <= ${silentSince.named} AND org IS DISTINCT FROM ${but}))`.execute(tx)
  return Number(numAffectedRows ?? 0n)
}
