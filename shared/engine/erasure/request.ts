import { v7 } from 'uuid'
import { LoomError } from '../../contract/errors.ts'
import type { PrepareContext } from '../handler.ts'
import { writeAudit } from '../store/audit.ts'
import { fencesOf, hideHeads, insertFences, lockErasures, raiseNumber } from './fence.ts'
import { LEASE_MS, noteStep, runningLike, sagaById, type SagaRow } from './sagas.ts'
import type { Scope } from './scope.ts'

/** An erasure as its operation asks for it. */
export interface NewSaga {
  readonly op: string
  readonly scope_type: string
  readonly scope_value: string
  readonly namespaces: readonly string[] | null
  readonly userId: string
  readonly collection: string
  readonly requester: string
  readonly urgency: string
  readonly purge: boolean
  readonly external: boolean
}

/**
 * Registers a saga, raises its fence and hides what it covers, in one transaction: from its commit on nothing of the scope
 * is served, and late changes are refused. The caller's process holds the saga and must run it.
 * @throws LoomError IN_PROGRESS with `erasure_id`, while one of the same scope and purge runs
 */
export async function registerSaga(asked: NewSaga, context: PrepareContext, owner: string): Promise<SagaRow> {
  const { parts, identity, actor, caller } = context
  const { database, numbers } = parts
  const { org } = identity
  const now = new Date(parts.clock())
  const erasure_id = `er_${v7()}`
  const { saga, hidden } = await database.transaction(async (tx) => {
    await lockErasures(tx, database.kind, org)
    const like = {
      org,
      namespaces: asked.namespaces && [...asked.namespaces],
      user_id: asked.userId,
      collection: asked.collection,
      purge: asked.purge,
    }
    const running = await runningLike(tx, like)
    if (running !== null)
      throw new LoomError('IN_PROGRESS', `The erasure ${running} of this scope is running. Ask erasure.status how it stands.`, {
        erasure_id: running,
        retry_after_s: 5,
      })
    const seq = await raiseNumber(tx, org, now)
    await numbers.stamp(tx, seq)
    const scope: Scope = {
      org,
      seq,
      erasureId: erasure_id,
      namespaces: asked.namespaces,
      userId: asked.userId,
      collection: asked.collection,
      purge: asked.purge,
    }
    await tx
      .insertInto('erasure_saga')
      .values({
        ...like,
        erasure_id,
        seq,
        scope_type: asked.scope_type,
        scope_value: asked.scope_value,
        requester: asked.requester,
        urgency: asked.urgency,
        external: asked.external,
        requested_at: now,
        lease_owner: owner,
        lease_until: new Date(now.getTime() + LEASE_MS),
      })
      .execute()
    const made = await sagaById(tx, erasure_id, org)
    if (!made) throw new Error('the saga was not stored')
    await insertFences(tx, fencesOf(scope, now))
    await noteStep(tx, made, 'fence.scope', { affected: 0, key: '', done: now })
    const namespace = asked.namespaces?.length === 1 ? asked.namespaces[0] : ''
    await writeAudit(tx, [
      {
        op: asked.op,
        at: now,
        org,
        actor,
        requestId: caller.requestId,
        subject: `erasure:-/-/-/${erasure_id}`,
        ...(namespace !== undefined && { namespace }),
      },
    ])
    return { saga: made, hidden: await hideHeads(tx, scope) }
  })
  numbers.raised(org, saga.seq)
  for (const id of hidden) parts.index.remove(id)
  return saga
}
