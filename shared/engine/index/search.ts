import { analyseQuery, analyseText } from '../../domain/search/analyser.ts'
import { dateFit, namedDate } from '../../domain/search/dates.ts'
import { componentsOf, rankScore, scoreOf, type Components } from '../../domain/search/fusion.ts'
import { isNear } from '../../domain/search/near.ts'
import { fold } from '../../domain/search/pieces.ts'
import { asksWhen } from '../../domain/search/turns.ts'
import { createReader, type WordEvidence } from './candidates.ts'
import { DocView } from './doc-view.ts'
import { wordsTop } from './lexical-leg.ts'
import type { Partition } from './partition.ts'
import { planQuery, surfacesOf, type QueryPlan } from './query-plan.ts'
import type { IndexedDoc, SearchHit, SearchOutcome, SearchQuery, WithoutVector } from './types.ts'
import { vectorTop } from './vector-leg.ts'
import { unitOf } from './vector-store.ts'
import { frequencyTable } from './word-index.ts'

/** Plain matches whose neighbours are looked at, and candidates that each leg hands to the ranker. */
const PLAIN_TOP = 200
const LEG_TOP = 100

const WITH_KEYS = frequencyTable(true)
const WITHOUT_KEYS = frequencyTable(false)

/** A document on its way to the ranking. */
interface Candidate {
  readonly partition: Partition
  readonly doc: number
  readonly evidence: WordEvidence
  cosine: number | null
}

/** Which documents may be found: 1 for each, and how many they are. */
interface Accepted {
  readonly accepted: Uint8Array
  readonly count: number
}

/** Calls `accept` for each document. */
export function acceptedOf({ docs }: Partition, accept: (doc: IndexedDoc) => boolean, onlySearchable: boolean): Accepted {
  const accepted = new Uint8Array(docs.limit)
  const view = new DocView(docs, 0)
  let count = 0
  for (let doc = 0; doc < accepted.length; doc++) {
    if (!docs.isAlive(doc) || (onlySearchable && !docs.isSearchable(doc))) continue
    view.doc = doc
    if (!accept(view)) continue
    accepted[doc] = 1
    count += 1
  }
  return { accepted, count }
}

/** The same where `accept` is known to take every plain row: only the others are asked about. */
function acceptedBesidePlain({ docs }: Partition, accept: (doc: IndexedDoc) => boolean): Accepted {
  // Read until the partition changes, and not written: no copy is needed.
  if (docs.special.size === 0) return { accepted: docs.plain, count: docs.count }
  const accepted = docs.plain.slice(0, docs.limit)
  const view = new DocView(docs, 0)
  let count = docs.count - docs.special.size
  for (const doc of docs.special) {
    view.doc = doc
    if (!docs.isSearchable(doc) || !accept(view)) continue
    accepted[doc] = 1
    count += 1
  }
  return { accepted, count }
}

/** The larger cosine of a document's vectors, null when it has none. */
export function cosineOf({ docs, values, keys }: Partition, doc: number, unit: Float32Array, useKeys: boolean): number | null {
  const valueRow = docs.columns.valueRow[doc]!
  const keyRow = useKeys ? docs.columns.keyRow[doc]! : -1
  if (valueRow < 0 && keyRow < 0) return null
  const value = valueRow < 0 ? -1 : values.cosine(unit, valueRow)
  const key = keyRow < 0 ? -1 : keys.cosine(unit, keyRow)
  return Math.max(value, key)
}

/**
 * Ranked recall over partitions: what words alone tell now, the rest when the query's vector is there, before the
 * partitions change. Pure of clock and I/O: the same index and query give the same answer.
 */
export function beginSearch(
  partitions: readonly Partition[],
  query: WithoutVector<SearchQuery>,
): (vector: Float32Array | null) => SearchOutcome {
  const plan = planQuery(analyseQuery(query.text), partitions)
  const legTop = Math.max(LEG_TOP, query.limit)
  let accepted = 0
  const begun: ((unit: Float32Array | null) => Candidate[])[] = []
  for (const partition of partitions) {
    const scope = query.acceptsPlain ? acceptedBesidePlain(partition, query.accept) : acceptedOf(partition, query.accept, true)
    accepted += scope.count
    if (scope.count > 0) begun.push(beginCandidates(partition, scope.accepted, query, plan, legTop))
  }
  return (vector) => {
    const unit = query.mode === 'lexical' || vector === null ? null : unitOf(vector)
    const candidates = begun.flatMap((candidatesWith) => candidatesWith(unit))
    const considered = best(candidates, legTop, unit !== null)
    return { hits: rank(considered, query, plan, unit), candidates: accepted, considered: considered.length }
  }
}

function beginCandidates(
  partition: Partition,
  accepted: Uint8Array,
  query: WithoutVector<SearchQuery>,
  plan: QueryPlan,
  legTop: number,
): (unit: Float32Array | null) => Candidate[] {
  const { docs, values, keys } = partition
  const frequencies = query.keyMatch ? WITH_KEYS : WITHOUT_KEYS
  const reader = createReader(partition, plan, frequencies)
  const candidate = (doc: number): Candidate => ({ partition, doc, evidence: reader.evidence(doc), cosine: null })
  const byWords = new Set<number>()
  if (query.mode !== 'vector') {
    const plain = wordsTop(partition, plan, frequencies, accepted, Math.max(PLAIN_TOP, legTop))
    for (const doc of plain) {
      byWords.add(doc)
      for (const turn of reader.borderOf(doc)) if (accepted[turn] === 1) byWords.add(turn)
    }
  }
  // Turns that only border a match count when what they borrow puts them among the best.
  const kept = [...byWords]
    .map(candidate)
    .sort((a, b) => b.evidence.context - a.evidence.context || a.doc - b.doc)
    .slice(0, legTop)
  return (unit) => {
    if (unit === null) return kept
    const near = new Set<number>()
    const take = (doc: number): void => void (byWords.has(doc) || near.add(doc))
    for (const row of vectorTop(values, unit, accepted, legTop)) take(values.owners[row]!)
    if (query.keyMatch) for (const row of vectorTop(keys, unit, accepted, legTop)) take(keys.owners[row]!)
    const out = [...kept, ...[...near].map(candidate)]
    for (const one of out) one.cosine = cosineOf(partition, one.doc, unit, query.keyMatch)
    if (!query.keyMatch) levelEqualTexts(out, docs.columns.bodyHash)
    return out
  }
}

/** With the key out of the ranking, texts that differ in their key suffix alone are equally near. */
function levelEqualTexts(candidates: readonly Candidate[], bodyHash: Uint32Array): void {
  const highest = new Map<number, number>()
  for (const { doc, cosine } of candidates) {
    if (cosine !== null) highest.set(bodyHash[doc]!, Math.max(cosine, highest.get(bodyHash[doc]!) ?? -1))
  }
  for (const candidate of candidates) {
    if (candidate.cosine !== null) candidate.cosine = highest.get(bodyHash[candidate.doc]!) ?? candidate.cosine
  }
}

/** Of many partitions' candidates, the best of each leg. */
function best(candidates: readonly Candidate[], legTop: number, vectors: boolean): Candidate[] {
  if (candidates.length <= 2 * legTop) return [...candidates]
  const kept = new Set<Candidate>()
  const byWords = [...candidates].sort((a, b) => b.evidence.context - a.evidence.context)
  for (const candidate of byWords.slice(0, legTop)) if (candidate.evidence.context > 0) kept.add(candidate)
  if (vectors) {
    const byMeaning = [...candidates].sort((a, b) => (b.cosine ?? -1) - (a.cosine ?? -1))
    for (const candidate of byMeaning.slice(0, legTop)) kept.add(candidate)
  }
  return [...kept]
}

function rank(
  candidates: readonly Candidate[],
  query: WithoutVector<SearchQuery>,
  plan: QueryPlan,
  unit: Float32Array | null,
): SearchHit[] {
  const queryTerms = new Set(plan.terms.map(({ term }) => term))
  const cache = new Map<string, boolean>()
  /** Whether the query names something: has all of its words (or, for an author, one of them). */
  const names = (name: string, all: boolean): boolean => {
    const id = `${all ? 1 : 0}${name}`
    let known = cache.get(id)
    if (known === undefined) {
      const terms = [...analyseText(name).terms.keys()]
      const has = (term: string): boolean => queryTerms.has(term)
      known = terms.length > 0 && (all ? terms.every(has) : terms.some(has))
      cache.set(id, known)
    }
    return known
  }
  const date = query.date === undefined ? namedDate(query.text) : query.date
  const soft = new Set(query.softTags?.tags.map(fold))
  const score = createScorer(candidates, names, { date, isTime: asksWhen(query.text) }, plan, unit)
  const scored = candidates.map((candidate) => {
    const { docs } = candidate.partition
    const { doc, evidence } = candidate
    const similarity = Math.max(0, candidate.cosine ?? 0)
    const components: Components | { similarity: number } = query.mode === 'vector' ? { similarity } : score(candidate)
    const boosted = soft.size > 0 && docs.tags[doc]!.some((tag) => soft.has(fold(tag))) ? (query.softTags?.boost ?? 0) : 0
    const base = 'similarity' in components ? similarity : rankScore(scoreOf(components))
    let keyWords: string[] | null = null
    return {
      candidate,
      components: boosted > 0 ? { ...components, softTags: boosted } : components,
      similarity,
      rankScore: Math.min(1, base + boosted),
      order: Math.round((base + boosted) * 1e7),
      keyWords: () => (keyWords ??= query.keyMatch ? surfacesOf(plan, evidence.inKey, 0) : []),
      pinned: docs.isPinned(doc) ? 1 : 0,
      updatedAt: docs.columns.updatedAt[doc]!,
      memoryId: docs.memoryIds[doc]!,
    }
  })
  scored.sort(
    (a, b) =>
      b.order - a.order ||
      b.keyWords().length - a.keyWords().length ||
      b.pinned - a.pinned ||
      b.updatedAt - a.updatedAt ||
      (a.memoryId < b.memoryId ? -1 : 1),
  )
  // What a hit shares with the query is told of those that are answered.
  return scored.slice(0, query.limit).map(({ candidate: { partition, doc, evidence }, similarity, components, ...hit }): SearchHit => {
    const { docs } = partition
    return {
      memoryId: hit.memoryId,
      rankScore: hit.rankScore,
      similarity,
      coverage: evidence.coverage,
      near: isNear(similarity, evidence.coverage),
      matchedWords: surfacesOf(plan, evidence.inText, 0),
      matchedKeyWords: hit.keyWords(),
      matchedEntities: docs.entities[doc]!.filter((entity) => names(entity, true)),
      matchedTags: docs.tags[doc]!.filter((tag) => soft.has(fold(tag)) || names(tag, true)),
      chunk: evidence.chunk,
      components,
    }
  })
}

/**
 * Scores of the linear ranker. A turn's lexical shares are of the best candidate's score: there is always a best turn.
 * Other rows are measured by a full match, so that a chance word does not outrank the meaning (+2 points of MRR on
 * claims and their paraphrases).
 */
function createScorer(
  candidates: readonly Candidate[],
  names: (name: string, all: boolean) => boolean,
  asked: { readonly date: ReturnType<typeof namedDate>; readonly isTime: boolean },
  plan: QueryPlan,
  unit: Float32Array | null,
): (candidate: Candidate) => Components {
  let most = 1e-9
  let authorNamed = false
  let nearest = 1e-6
  const sessionBest = new Map<readonly number[], number>()
  for (const { partition, doc, evidence, cosine } of candidates) {
    most = Math.max(most, evidence.context)
    const session = partition.sessions.around(doc)
    if (session === null) continue
    nearest = Math.max(nearest, cosine ?? 0)
    sessionBest.set(session.order, Math.max(sessionBest.get(session.order) ?? 0, evidence.context))
    authorNamed ||= names(partition.docs.text('author', doc), false)
  }
  return ({ partition, doc, evidence, cosine }) => {
    const { docs, sessions } = partition
    const session = sessions.around(doc)
    const full = session === null ? Math.max(most, plan.fullScore) : most
    const common = {
      context: evidence.context / full,
      words: evidence.words / full,
      cosine,
      coverage: evidence.coverage,
      date: asked.date === null ? 0 : dateFit(asked.date, docs.instant(doc)),
      // What somebody said in a talk was said, whatever stands against it.
      contested: docs.text('status', doc) === 'conflicted' && (session === null || !docs.hasSpeaker(doc)),
    }
    if (session === null) return componentsOf({ ...common, author: 0, chat: null }, unit !== null)
    const previous = session.order[session.at - 1]
    const next = session.order[session.at + 1]
    const cosineAt = (turn: number | undefined): number | null =>
      unit === null || turn === undefined ? null : cosineOf(partition, turn, unit, false)
    return componentsOf(
      {
        ...common,
        author: authorNamed ? (names(docs.text('author', doc), false) ? 1 : -1) : 0,
        chat: {
          cosinePrevious: cosineAt(previous),
          cosineNext: cosineAt(next),
          cosineShare: (cosine ?? 0) / nearest,
          asks: docs.asks(doc),
          answers: previous !== undefined && docs.asks(previous),
          length: docs.columns.textLength[doc]!,
          contextCoverage: evidence.contextCoverage,
          session: (sessionBest.get(session.order) ?? 0) / most,
          self: docs.ofSelf(doc),
          when: asked.isTime && docs.tellsWhen(doc),
        },
      },
      unit !== null,
    )
  }
}
