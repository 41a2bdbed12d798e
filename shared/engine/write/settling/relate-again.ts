import { analyse } from '../../../domain/judge/analyse.ts'
import { judge, needsRelation, type Judgement } from '../../../domain/judge/judge.ts'
import { wordOverlap } from '../../../domain/judge/overlap.ts'
import type { EngineParts } from '../../parts.ts'
import { indexedRowsOf } from '../../store/index-rows.ts'
import { claimOfHead } from '../../store/head-claim.ts'
import type { Head } from '../../store/memories.ts'
import { cosine } from '../cosine.ts'

export interface Related {
  readonly judgement: Judgement
  readonly similarity: number
}

/** Judges two stored rows against each other once more, as a write of the first would be. */
export async function relateAgain(row: Head, peer: Head, parts: EngineParts): Promise<Related> {
  const claims = [row, peer].map(claimOfHead) as [string, string]
  const [a, b] = [analyse({ key: row.memory_key, text: claims[0] }), analyse({ key: peer.memory_key, text: claims[1] })]
  const [left, right] = await indexedRowsOf(parts.database.reader, row.org, [row, peer], parts.models.embedder?.id ?? null)
  const similarity = Math.min(1, Math.max(cosine(left?.valueVector, right?.valueVector), wordOverlap(a, b)))
  const model = parts.models.relation
  const [relation] = model && needsRelation(a, b, similarity) ? await model.relate([{ a: claims[0], b: claims[1] }]).catch(() => []) : []
  return { judgement: judge(a, b, { similarity, relation: relation ?? null }), similarity }
}
