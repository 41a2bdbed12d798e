import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { stringifyJson } from '../../../contract/json.ts'
import { runComplete as contract } from '../../../contract/ops/run/complete.ts'
import { MOST_METADATA_BYTES, jsonBytes } from '../../../contract/run.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { rowsOfKeys } from '../../read/run-memories.ts'
import { hashBody } from '../../store/idempotency.ts'
import { lockKeys } from '../../store/memories.ts'
import { auditRun, createRun, holdRun, isOver, metadataOf, toldAt, writeRun, type Run } from '../../store/runs.ts'
import { retainRows, rowsOfRun, type Retained } from '../../write/run-retention.ts'
import { tellRecalls, tellUses, usesOf } from '../../write/run-uses.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

const NOTHING: Retained = { demoted: 0, expired: 0, refused: [] }

/** What a repeat has to say again; who says it is no part of it. */
function hashOf({ org: _o, namespace: _n, agent: _a, user_id: _u, session_id: _s, duration_ms, ...said }: Call): string {
  return hashBody({ ...said, duration_ms: duration_ms ?? null })
}

/** The run's agent where the call names none, else the token's. */
function agentOf(run: Run | null, { given, identity }: WriteContext): string {
  const agent = given.agent ?? run?.agent ?? identity.agent
  if (agent !== '') return agent
  throw new LoomError(
    'MISSING_IDENTITY_FIELD',
    'agent is missing, and neither the run, the token nor the connection names it. Send agent.',
    { field: 'agent' },
  )
}

/** The run as it was begun; one that never was is made, as long ago as the call says that it took. */
async function begun(run: Run | null, input: Call, context: WriteContext): Promise<Run> {
  if (run) return run
  const { tx, identity, actor } = context
  const { org, namespace, user_id, session_id } = identity
  const started_at = new Date(toldAt(context).getTime() - (input.duration_ms ?? 0))
  const place = { org, namespace, run_id: input.run_id, user_id, session_id }
  return createRun(tx, { ...place, agent: agentOf(null, context), actor, status: 'running', started_at })
}

/** @throws LoomError INVALID_ARGUMENT where what is added makes it too large. */
function mergedMetadata(run: Run, added: Call['metadata']): string {
  const merged = { ...metadataOf(run), ...added }
  if (jsonBytes(merged) <= MOST_METADATA_BYTES) return stringifyJson(merged)
  throw new LoomError('INVALID_ARGUMENT', 'metadata: with what the run has it is larger than 16 KiB as JSON.', { field: 'metadata' })
}

export const runComplete = defineWrite(contract, {
  async run(input, context): Promise<Answer> {
    const { tx, identity, caller, now, parts } = context
    const { run_id, status, retain } = input
    const endedAt = toldAt(context)
    const there = await holdRun(context, run_id)
    const sha256 = hashOf(input)
    if (there && (!withinBound(caller, there) || (isOver(there) && there.completion_sha256 !== sha256)))
      throw new LoomError('ALREADY_EXISTS', `Run ${run_id} is over already, with other fields. Name a new run.`, { field: 'run_id' })
    const owner = { ...identity, ...there, agent: agentOf(there, context) }
    if (there && isOver(there)) {
      const known = usesOf(input.memories_used, await rowsOfKeys(tx, owner, input.memories_used, caller))
      const completed_at = (there.completed_at ?? now).toISOString()
      return { run_id, status, completed_at, created: false, noop: true, ...known, outcome_applied: 0, retained: NOTHING }
    }
    const written = retain === 'keep' ? [] : await rowsOfRun(tx, run_id, context)
    const keys = [...new Set([...input.memories_used, ...written.map((row) => row.memory_key)])]
    await lockKeys(
      tx,
      parts.database.kind,
      keys.map((key) => `${identity.org}/${identity.namespace}/${key}`),
    )
    const run = await begun(there, input, context)
    const used = await rowsOfKeys(tx, owner, input.memories_used, caller)
    const outcome_applied = await tellUses(used, input, context)
    await tellRecalls(await rowsOfKeys(tx, owner, input.recalled_keys, caller), context)
    // Read again: an outcome may have taken a row out.
    const retained =
      retain === 'keep'
        ? NOTHING
        : await retainRows(await rowsOfRun(tx, run_id, context), retain, { run_id, endedAt }, contract.name, context)
    await writeRun(tx, run, {
      status,
      lapsed: false,
      completed_at: endedAt,
      duration_ms: BigInt(input.duration_ms ?? Math.max(0, endedAt.getTime() - run.started_at.getTime())),
      final_response: input.final_response,
      confidence: input.confidence,
      reflection: input.reflection,
      metadata: mergedMetadata(run, input.metadata),
      memories_used: input.memories_used,
      recalled_keys: input.recalled_keys,
      outcome: input.outcome ?? '',
      weight: input.weight,
      retain,
      completion_sha256: sha256,
    })
    await auditRun(contract.name, run, context)
    const known = usesOf(input.memories_used, used)
    return {
      run_id,
      status,
      completed_at: endedAt.toISOString(),
      created: there === null,
      noop: false,
      ...known,
      outcome_applied,
      retained,
    }
  },
})
