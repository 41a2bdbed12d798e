import type { NamedDate } from '../../domain/search/dates.ts'

/** What is known of a row while it is in the index; instants in ms since 1970. */
export interface IndexedDoc {
  readonly memoryId: string
  readonly org: string
  readonly namespace: string
  readonly agent: string
  readonly userId: string
  /** "-" for none. Rows of one user and session, in order of `position`, lend each other their words. */
  readonly sessionId: string
  readonly runId: string
  readonly memoryKey: string
  readonly memoryType: string
  readonly status: string
  readonly sourceClass: string
  readonly confidence: number
  readonly pinned: boolean
  readonly version: bigint
  readonly createdAt: number
  readonly validAt: number | null
  readonly updatedAt: number
  readonly expiresAt: number | null
  readonly validTo: number | null
  readonly tags: readonly string[]
  readonly entities: readonly string[]
  readonly actor: string
  /** False where the key is a digest: it takes no part in search. */
  readonly keyIndexed: boolean
  readonly position: number
  /** False: kept as a candidate of the judge only, never found by `search`. */
  readonly searchable: boolean
}

/** A row as it is put into the index. Vectors are of the index's length; they need not have length 1. */
export interface IndexedRow extends IndexedDoc {
  /** The excerpt that is embedded and indexed, its ` (#key)` suffix included. */
  readonly text: string
  readonly chunks: readonly string[]
  readonly valueVector: Float32Array | null
  readonly keyVector: Float32Array | null
}

export type SearchMode = 'hybrid' | 'lexical' | 'vector'

export interface SearchQuery {
  readonly org: string
  readonly namespaces: readonly string[]
  readonly text: string
  readonly vector: Float32Array | null
  readonly mode: SearchMode
  /**
   * Whether a document may be found. Called once for each document in scope, so it must be cheap. What it is given
   * is a view that is valid during the call only.
   */
  readonly accept: (doc: IndexedDoc) => boolean
  /** True when `accept` takes every row that is active or conflicted and has no end: such rows are then not asked about one by one. */
  readonly acceptsPlain?: boolean
  readonly limit: number
  /** KEY004: the words of a key count. */
  readonly keyMatch: boolean
  readonly softTags?: { readonly tags: readonly string[]; readonly boost: number } | undefined
  /** A date that the query means, when the caller has resolved one ("last week"); else it is read from the text. */
  readonly date?: NamedDate | null | undefined
}

/** A query whose vector is still being made. */
export type WithoutVector<Q extends { readonly vector: unknown }> = Omit<Q, 'vector'>

export interface SearchHit {
  readonly memoryId: string
  /** 0..1, the order; comparable within one answer. */
  readonly rankScore: number
  /** The larger cosine of value and key vector; 0 without vectors. */
  readonly similarity: number
  /** Share of the query's words, by rarity, that the row has: key, tags, author, date and chunks included. */
  readonly coverage: number
  readonly near: boolean
  /** Words as the query spells them. */
  readonly matchedWords: readonly string[]
  readonly matchedKeyWords: readonly string[]
  readonly matchedEntities: readonly string[]
  readonly matchedTags: readonly string[]
  /** The chunk that matched best, when it matched better than the excerpt; counted from 0. */
  readonly chunk: number | null
  /** Parts of the score before it is put on the scale 0..1. */
  readonly components: Readonly<Record<string, number>>
}

export interface SearchOutcome {
  readonly hits: readonly SearchHit[]
  /** Documents in scope that were accepted. */
  readonly candidates: number
  /** Documents that were ranked. */
  readonly considered: number
}

export interface PeerQuery {
  readonly org: string
  readonly namespace: string
  readonly text: string
  readonly vector: Float32Array | null
  readonly accept: (doc: IndexedDoc) => boolean
  readonly limit: number
}

export interface Peer {
  readonly memoryId: string
  /** Cosine of the value vectors, 0 where either has none. */
  readonly similarity: number
  /** Share of the new claim's words, by rarity, that the peer has. */
  readonly coverage: number
}

/** Rows near a claim, as far as its words tell, and what finds the rest when its vector is there. */
export interface PeersBegun {
  /** Those that its words find, best first; their similarity is not known yet. */
  readonly byWords: readonly Peer[]
  readonly answer: (vector: Float32Array | null) => readonly Peer[]
}

/** The search index of one process, in typed arrays. Store of record is the database; this can be built from it. */
export interface HotIndex {
  /** Adds a row, or replaces the one with its memoryId. */
  upsert(row: IndexedRow): void
  /** Gives a row the vector of its key, unless it has one already or is not in. */
  addKeyVector(memoryId: string, vector: Float32Array): void
  /** Takes a row out; one that is not in is no error. */
  remove(memoryId: string): void
  get(memoryId: string): IndexedDoc | null
  /** Number of rows. */
  readonly size: number
  /** Memory taken, in bytes; strings are estimated. */
  readonly bytes: number
  /** Whether any row of a namespace has a tag, in whatever case. */
  hasTag(org: string, namespace: string, tag: string): boolean
  /** Shows the rows of the namespaces to `is`, one after another, until it says yes; whether it did. */
  some(org: string, namespaces: readonly string[], is: (doc: IndexedDoc) => boolean): boolean
  search(query: SearchQuery): SearchOutcome
  /** Nearest rows of a new claim, for the judge: by vector, and by words where a vector is missing. */
  peers(query: PeerQuery): readonly Peer[]
  /**
   * Begins a search with what words tell, so that this is done while the query's vector is made, and answers when it
   * is there. The answer is of the rows that are there then.
   */
  beginSearch(query: WithoutVector<SearchQuery>): (vector: Float32Array | null) => SearchOutcome
  beginPeers(query: WithoutVector<PeerQuery>): PeersBegun
  clear(): void
}
