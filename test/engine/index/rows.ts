import type { IndexedRow, SearchQuery } from '../../../shared/engine/index/types.ts'

const AT = Date.UTC(2026, 0, 15)

/** A plain row of namespace "n", changed where a test needs it. */
export function row(memoryId: string, text: string, change: Partial<IndexedRow> = {}): IndexedRow {
  return {
    memoryId,
    org: 'o',
    namespace: 'n',
    agent: '-',
    userId: '-',
    sessionId: '-',
    runId: '-',
    memoryKey: memoryId,
    memoryType: 'semantic',
    status: 'active',
    sourceClass: 'user',
    confidence: 1,
    pinned: false,
    version: 1n,
    createdAt: AT,
    validAt: null,
    updatedAt: AT,
    expiresAt: null,
    validTo: null,
    tags: [],
    entities: [],
    actor: 'local',
    text,
    keyIndexed: true,
    chunks: [],
    position: 0,
    searchable: true,
    valueVector: null,
    keyVector: null,
    ...change,
  }
}

/** A query over namespace "n" that accepts everything. */
export function query(text: string, change: Partial<SearchQuery> = {}): SearchQuery {
  return { org: 'o', namespaces: ['n'], text, vector: null, mode: 'hybrid', accept: () => true, limit: 10, keyMatch: true, ...change }
}

/** Numbers that look random and are the same in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 0x100000000
  }
}

/** A direction of `dim` dimensions around a centre, as embeddings of related texts are. */
export function vectorNear(centre: Float32Array | null, spread: number, dim: number, random: () => number): Float32Array {
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Float32Array.from({ length: dim }, (_, i) => (centre?.[i] ?? 0) + spread * normal())
}
