import { sql } from 'kysely'
import type { Output } from '../../contract/declare.ts'
import type { Peer } from '../../contract/common.ts'
import type { memoryInspect } from '../../contract/ops/memory/inspect.ts'
import { parseJson } from '../../contract/json.ts'
import { firstCharacters } from '../../domain/claim/claim-text.ts'
import type { Json } from '../../domain/claim/json.ts'
import { analyse } from '../../domain/judge/analyse.ts'
import { JUDGE_VERSION } from '../../domain/judge/version.ts'
import type { ReadContext } from '../handler.ts'
import { withinBound } from '../identity.ts'
import { claimOfHead } from '../store/head-claim.ts'
import { headsById, type Head } from '../store/memories.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import { contentOf } from '../write/content.ts'
import { isEmbedded } from '../write/embed.ts'

type Inspection = Output<typeof memoryInspect>

const EXCERPT = 200
const MOST_PEERS = 5

interface PairRow {
  pair_id: string
  row_id: string
  peer_id: string
  relation: string
  similarity: number
  reason: string
  confidence: number
  unsure: boolean
  judge_version: string
  at: Date
}

/** The verdict of the row's version, with the open pairs behind it. */
export async function verdictOf(head: Head, context: ReadContext): Promise<Inspection['verdict']> {
  const { rows } = await sql<PairRow>`SELECT * FROM loom.memory_pair WHERE org = ${head.org} AND state = 'open' AND peer_version IS NULL
    AND (row_id = ${head.memory_id} OR peer_id = ${head.memory_id}) ORDER BY similarity DESC, pair_id`.execute(context.db)
  const otherOf = (pair: PairRow): string => (pair.row_id === head.memory_id ? pair.peer_id : pair.row_id)
  const others = await headsById(context.db, head.org, rows.map(otherOf))
  const readable = rows.filter((pair) => {
    const other = others.get(otherOf(pair))
    return other !== undefined && withinBound(context.caller, other)
  })
  const peers = readable.slice(0, MOST_PEERS).flatMap((pair): Peer[] => {
    const other = others.get(otherOf(pair))
    if (!other) return []
    return [
      {
        memory_key: other.memory_key,
        memory_id: other.memory_id,
        excerpt: other.sensitivity === 'high' ? '' : firstCharacters(claimOfHead(other), EXCERPT),
        similarity: pair.similarity,
        relation: pair.relation as Peer['relation'],
        reason: pair.reason,
        confidence: pair.confidence,
        status: other.status as Peer['status'],
      },
    ]
  })
  const own = readable.filter((pair) => pair.row_id === head.memory_id)
  const judged = head.conflict_verdict !== ''
  return {
    verdict: head.conflict_verdict as NonNullable<Inspection['verdict']>['verdict'],
    confidence: own.length > 0 ? Math.max(...own.map((pair) => pair.confidence)) : judged ? 1 : 0,
    unsure: own.some((pair) => pair.unsure),
    judge_version: own[0]?.judge_version ?? (judged ? JUDGE_VERSION : ''),
    judged_at: judged ? (own[0]?.at ?? head.updated_at).toISOString() : null,
    judged_by: context.parts.host === 'server' ? 'server' : 'local',
    peers,
    pairs: readable.map((pair) => pair.pair_id),
  }
}

function whyNotEmbedded(head: Head, loaded: boolean): string {
  if (head.sensitivity === 'high') return 'high'
  if (!isEmbedded(head.memory_type, head.sensitivity)) return head.memory_type
  if (head.content_sha256 === ANONYMIZED_SHA256) return 'anonymized'
  if (head.value === null) return head.redacted ? 'redacted' : 'no_value'
  if (head.status === 'tombstoned' || head.status === 'rejected') return head.status
  return loaded ? 'pending' : 'no_model'
}

/** How search holds the row: its vectors, the text that is indexed, and whether the index has this version. */
export async function indexOf(head: Head, context: ReadContext): Promise<Inspection['index']> {
  const { parts } = context
  const { rows } = await sql<{ axis: 'value' | 'key'; model: string; dim: number }>`SELECT axis, model, vector_dims(vec)::int AS dim
    FROM loom.memory_embedding WHERE org = ${head.org} AND memory_id = ${head.memory_id} ORDER BY axis DESC`.execute(context.db)
  const embedded = rows.some((row) => row.axis === 'value')
  const indexed = parts.index.get(head.memory_id)
  const model = parts.models.embedder?.id
  return {
    embedded,
    vectors: rows,
    indexed_text: indexed === null ? '' : contentOf(head.memory_key, parseJson(head.value ?? 'null') as Json, 0).indexed,
    chunks: head.chunks,
    stale: (indexed !== null && indexed.version !== head.version) || (model !== undefined && rows.some((row) => row.model !== model)),
    why_not: embedded ? '' : whyNotEmbedded(head, model !== undefined),
  }
}

/** What the judge reads in the claim. */
export function readingOf(head: Head): Inspection['claim'] {
  if (head.value === null) return null
  const analysis = analyse({ key: head.memory_key, text: claimOfHead(head) })
  const words = (tokens: typeof analysis.tokens): string => tokens.map((token) => token.text).join(' ')
  return {
    subject: words(analysis.tokens.slice(0, analysis.predicate)),
    attribute: words(analysis.tokens.slice(analysis.predicate)),
    values: analysis.values.map(({ at: _at, ...value }) => ({ ...value })) as unknown as Json,
    polarity: analysis.negations % 2 === 1 ? 'negative' : 'positive',
    hedged: analysis.hedged,
    script: analysis.script,
    judge_version: analysis.version,
  }
}
