import type { LoomError } from '../../../contract/errors.ts'
import { headAt } from '../../store/memories.ts'
import type { Ran } from './attempt.ts'
import type { ChangeResult } from './call.ts'
import { conclude, type Scene } from './conclude.ts'
import { loseVersion } from './lost-version.ts'
import { refusalOf, toldAs, verdictOf, type Verdict } from './outcome.ts'
import { flagHead, openSameKeyPair } from './same-key-pair.ts'

/** How the run of a change ends: what stays of it, and what is told. */

const movedOn = (outcome: 'refused' | 'lost'): Verdict =>
  toldAs(outcome, { code: 'PRECONDITION_FAILED', message: 'The row changed on the server since this was made.' })

/** A value that a guard, or a pinned fact, stands against is kept as a rejected version. */
async function landRejected(scene: Scene, verdict: Verdict, told: object): Promise<ChangeResult> {
  const { read, head, write } = scene
  const lost = await loseVersion(read, head, { status: 'rejected', verdict: verdict.code === '' ? 'rejected' : '' }, scene.told, write)
  return conclude(scene, verdict, { lost, answer: { ...told } })
}

/** A refusal of the operation, which left the transaction as it was. */
export async function landRefusal(scene: Scene, refusal: LoomError): Promise<ChangeResult> {
  const verdict = refusalOf(refusal, scene.read.effect)
  const told = { current_sha256: refusal.fields['current_sha256'] }
  return verdict.outcome === 'lost' ? landRejected(scene, verdict, told) : conclude(scene, verdict, { answer: told })
}

/** The key moved on, and the change is not what stands there: its value, if it has one, is a version of the history. */
async function landMovedOn(scene: Scene): Promise<ChangeResult> {
  const { read, head, decision, told, write } = scene
  if (decision.kind !== 'lost') return conclude(scene, movedOn('refused'))
  const { status, flags, opens, reverted } = decision
  const lost = await loseVersion(read, head, { status, verdict: status === 'conflicted' ? 'conflict' : '' }, told, write)
  const stays = flags && head ? await flagHead(head, told, write) : head
  if (opens && stays) await openSameKeyPair(stays, lost, write)
  return conclude(scene, reverted ? movedOn('lost') : toldAs('lost'), { lost })
}

/** An answer of the operation: it stands, unless the key moved on or the verdict left the value nowhere. */
export async function landAnswer(scene: Scene, ran: Ran): Promise<ChangeResult> {
  const { read, head, decision, told, write } = scene
  const verdict = verdictOf(ran.answer)
  if (decision.kind !== 'runs' && verdict.outcome !== 'refused') {
    await ran.undo()
    return landMovedOn(scene)
  }
  if (verdict.outcome === 'lost') {
    await ran.undo()
    return landRejected(scene, verdict, {})
  }
  ran.keep()
  if (told.isContested && head && verdict.outcome === 'applied') {
    const after = await headAt(write.tx, read.identity, read.key)
    if (after && after.version !== head.version) await openSameKeyPair(after, head, write)
  }
  return conclude(scene, verdict, { answer: ran.answer })
}
