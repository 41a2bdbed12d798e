import { v7 } from 'uuid'
import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { stringifyJson } from '../../../contract/json.ts'
import { runStart as contract } from '../../../contract/ops/run/start.ts'
import type { RunStatus } from '../../../contract/run.ts'
import { defineWrite } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { auditRun, createRun, holdRun, toldAt } from '../../store/runs.ts'

export const runStart = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, caller, actor } = context
    const now = toldAt(context)
    const runId = input.run_id === '' ? v7() : input.run_id
    const there = await holdRun(context, runId)
    if (there && (there.status !== 'running' || there.agent !== identity.agent || !withinBound(caller, there)))
      throw new LoomError('ALREADY_EXISTS', `Run ${runId} is over, or another agent's. Leave run_id out, or name a new one.`, {
        field: 'run_id',
      })
    if (there) return { run_id: runId, status: 'running', started_at: there.started_at.toISOString(), created: false }
    const { org, namespace, agent, user_id, session_id } = identity
    const { goal, parent_run_id, metadata } = input
    const place = { org, namespace, run_id: runId, agent, user_id, session_id, actor }
    const run = await createRun(tx, {
      ...place,
      goal,
      status: 'running',
      parent_run_id,
      started_at: now,
      metadata: stringifyJson(metadata),
    })
    await auditRun(contract.name, run, context)
    return { run_id: runId, status: run.status as RunStatus, started_at: now.toISOString(), created: true }
  },
})
