import type { Input } from '../../../contract/declare.ts'
import type { FoundResult, search } from '../../../contract/ops/search.ts'
import type { ReadContext } from '../../handler.ts'

/** What each kind is asked for; the namespaces are those that the token reaches. */
export interface KindQuery {
  readonly call: Input<typeof search>
  readonly namespaces: readonly string[]
  readonly vector: Float32Array | null
}

/** Results looked at of each kind: what `counts` tells of. */
export const MOST_OF_KIND = 50

/** Finds what is near in one kind of thing, best first, each scored 0..1 on the one scale of the ranker. */
export type KindSearch = (query: KindQuery, context: ReadContext) => Promise<readonly FoundResult[]>

/** A call that opens a result, with the namespace where it is not the caller's own. */
export function opening(
  op: string,
  fields: FoundResult['open']['arguments'],
  namespace: string,
  { identity }: ReadContext,
): FoundResult['open'] {
  return { op, arguments: { ...fields, ...(namespace !== identity.namespace && { namespace }) } }
}
