import type { Analysis } from '../../domain/judge/analyse.ts'
import { weigh, type Judgement, type Relation, type Weighing } from '../../domain/judge/judge.ts'
import type { PrepareContext } from '../handler.ts'
import { modelsSettled } from './embed.ts'
import type { PeerClaim } from './peer-claims.ts'

/** Peers of one claim that the relation model reads (2 to 6 ms each). */
const MOST_RELATED = 4
/**
 * Nearness from which the relation model reads a pair. Of hand-written pairs under it 0 of 206 duplicates and
 * refinements lie, and 3 of 212 conflicts, which the rules still see; half the model's work lay there.
 */
const RELATED_FROM = 0.6

/** A claim that another is judged against, and how near it is. */
export interface Met extends PeerClaim {
  readonly similarity: number
}

interface Gate<P extends Met> {
  /** Peers that the relation model is to read, in the order given. */
  readonly asked: readonly P[]
  readonly weighingOf: (peer: P) => Weighing
}

/** Which of the peers met the relation model is to read. Rules are asked about no more of them than that takes. */
function gateOf<P extends Met>(own: Analysis, met: readonly P[]): Gate<P> {
  const weighings = new Map<P, Weighing>()
  const weighingOf = (peer: P): Weighing => {
    const known = weighings.get(peer) ?? weigh(own, peer.analysis, peer.similarity)
    weighings.set(peer, known)
    return known
  }
  const asked: P[] = []
  for (const peer of met) {
    if (asked.length === MOST_RELATED) break
    if (peer.similarity >= RELATED_FROM && weighingOf(peer).asks) asked.push(peer)
  }
  return { asked, weighingOf }
}

/**
 * Judges a claim against peers that it has met, nearest first. While the relation model reads the few that pass the
 * gate, the rules read the others. Without the model the rules go on alone, and `degraded` says so.
 */
export async function judgeMet<P extends Met>(
  claim: string,
  own: Analysis,
  met: readonly P[],
  context: PrepareContext,
): Promise<(P & { readonly judgement: Judgement })[]> {
  const { asked, weighingOf } = gateOf(own, met)
  const asking = relate(claim, asked, context)
  for (const peer of met) weighingOf(peer)
  const related = await asking
  return met.map((peer) => ({ ...peer, judgement: weighingOf(peer).judge(related.get(peer) ?? null) }))
}

async function relate<P extends Met>(claim: string, asked: readonly P[], context: PrepareContext): Promise<Map<P, Relation>> {
  const told = new Map<P, Relation>()
  if (asked.length === 0) return told
  const { parts } = context
  // Not awaited where they are there: the model is to read while the rules do.
  if (parts.models.state === 'loading') await modelsSettled(parts)
  const model = parts.models.relation
  try {
    if (!model) throw new Error('the relation model is not loaded')
    const answers = await model.relate(asked.map((peer) => ({ a: claim, b: peer.claim })))
    asked.forEach((peer, at) => void (answers[at] && told.set(peer, answers[at])))
  } catch {
    context.degraded.add('judge_model')
  }
  return told
}
