import { claimText } from '../../../domain/claim/claim-text.ts'
import type { Json } from '../../../domain/claim/json.ts'
import { analyse } from '../../../domain/judge/analyse.ts'
import { judge, needsRelation, type Judgement } from '../../../domain/judge/judge.ts'
import { wordOverlap } from '../../../domain/judge/overlap.ts'
import { parseJson } from '../../../contract/json.ts'
import type { EngineParts } from '../../parts.ts'
import { indexedRowsOf } from '../../store/index-rows.ts'
import type { Head } from '../../store/memories.ts'

export interface Related {
  readonly judgement: Judgement
  readonly similarity: number
}

function cosine(a: Float32Array | null, b: Float32Array | null): number {
  if (!a || !b || a.length !== b.length) return 0
  let [dot, left, right] = [0, 0, 0]
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0]
    dot += x * y
    left += x * x
    right += y * y
  }
  return left > 0 && right > 0 ? dot / Math.sqrt(left * right) : 0
}

/** Judges two stored rows against each other once more, as a write of the first would be. */
export async function relateAgain(row: Head, peer: Head, parts: EngineParts): Promise<Related> {
  const claims = [row, peer].map((head) => claimText(parseJson(head.value ?? 'null') as Json)) as [string, string]
  const [a, b] = [analyse({ key: row.memory_key, text: claims[0] }), analyse({ key: peer.memory_key, text: claims[1] })]
  const [left, right] = await indexedRowsOf(parts.database.reader, row.org, [row, peer], parts.models.embedder?.id ?? null)
  const similarity = Math.min(1, Math.max(0, cosine(left?.valueVector ?? null, right?.valueVector ?? null), wordOverlap(a, b)))
  const model = parts.models.relation
  const [relation] = model && needsRelation(a, b, similarity) ? await model.relate([{ a: claims[0], b: claims[1] }]).catch(() => []) : []
  return { judgement: judge(a, b, { similarity, relation: relation ?? null }), similarity }
}
