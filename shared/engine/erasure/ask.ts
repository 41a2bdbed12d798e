import { setTimeout as sleep } from 'node:timers/promises'
import type { PrepareContext } from '../handler.ts'
import type { NewSaga } from './request.ts'
import { sagaAnswer } from './saga-view.ts'
import { sagaById, stepsOf } from './sagas.ts'

/**
 * Begins an erasure and waits for it, as long as the setting says; it goes on without its caller.
 * @throws LoomError IN_PROGRESS
 */
export async function askErasure(asked: NewSaga, context: PrepareContext) {
  const { parts, identity, db } = context
  const { saga, ended } = await parts.erasures.request(asked, context)
  const waited = new AbortController()
  await Promise.race([ended, sleep(parts.config.erasure.waitSeconds * 1000, undefined, { signal: waited.signal }).catch(() => {})])
  waited.abort()
  const now = (await sagaById(db, saga.erasure_id, identity.org)) ?? saga
  return sagaAnswer(now, await stepsOf(db, identity.org, saga.erasure_id))
}
