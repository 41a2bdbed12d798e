import { setImmediate as nextTick } from 'node:timers/promises'
import type { Database, Reader } from '../db/database.ts'
import { createHotIndex } from '../index/hot-index.ts'
import type { HotIndex, IndexedRow } from '../index/types.ts'
import type { Embedder } from '../ports.ts'

/** A kind of thing that is searched by its passages: documents by chunks, conversations by messages. */
export interface Shelf {
  /** A text that is another one after any change of a namespace's things. */
  fingerprint(db: Reader, org: string, namespace: string): Promise<string>
  /** Live things, each with what is another one after any change of it. */
  revisions(db: Reader, org: string, namespace: string): Promise<Map<string, bigint | string>>
  /** Passages of things, with their vectors of a model. */
  passages(db: Reader, org: string, namespace: string, ids: readonly string[], model: string): Promise<Map<string, IndexedRow[]>>
}

/** A search index that is brought level with the store before each search, by whatever process the store was changed. */
export interface LevelIndex {
  /** The index with everything of a namespace that was committed before the call. */
  level(org: string, namespace: string): Promise<HotIndex>
  /** Drops what is held of an org's namespaces; null: of all of them. */
  forget(org: string, namespaces: readonly string[] | null): void
  readonly size: number
}

interface Held {
  fingerprint: string
  readonly things: Map<string, { readonly revision: bigint | string; readonly passages: readonly string[] }>
}

/** Things that are read at once. */
const BATCH = 20
const DEFAULT_DIM = 384

export function createLevelIndex(shelf: Shelf, database: Database, embedder: () => Embedder | null): LevelIndex {
  let index = createHotIndex()
  /** Model whose vectors the index holds; "" none. */
  let model = ''
  /** Moves when what is held is thrown away: a look that began before begins again. */
  let generation = 0
  const places = new Map<string, Held>()
  const looks = new Map<string, Promise<unknown>>()
  const nameOf = (org: string, namespace: string): string => `${org}/${namespace}`

  function drop(held: Held, ids: Iterable<string>): void {
    for (const id of ids) {
      for (const passage of held.things.get(id)?.passages ?? []) index.remove(passage)
      held.things.delete(id)
    }
  }

  /** An index holds vectors of one length: of another model it begins anew. */
  function settleModel(): void {
    const now = embedder()
    if (now === null || now.id === model) return
    model = now.id
    index = createHotIndex({ dim: now.dim ?? DEFAULT_DIM })
    places.clear()
    generation++
  }

  async function look(org: string, namespace: string): Promise<void> {
    settleModel()
    const db = database.reader
    const name = nameOf(org, namespace)
    const fingerprint = await shelf.fingerprint(db, org, namespace)
    const held: Held = places.get(name) ?? { fingerprint: '', things: new Map() }
    if (held.fingerprint === fingerprint) return
    const began = generation
    const revisions = await shelf.revisions(db, org, namespace)
    if (generation !== began) return look(org, namespace)
    drop(
      held,
      [...held.things.keys()].filter((id) => !revisions.has(id)),
    )
    const changed = [...revisions].filter(([id, revision]) => held.things.get(id)?.revision !== revision)
    for (let from = 0; from < changed.length; from += BATCH) {
      const batch = changed.slice(from, from + BATCH)
      const passages = await shelf.passages(
        db,
        org,
        namespace,
        batch.map(([id]) => id),
        model,
      )
      if (generation !== began) return look(org, namespace)
      for (const [id, revision] of batch) {
        drop(held, [id])
        const rows = passages.get(id) ?? []
        for (const row of rows) index.upsert(row)
        held.things.set(id, { revision, passages: rows.map((row) => row.memoryId) })
      }
      await nextTick()
    }
    if (generation !== began) return look(org, namespace)
    // Read before what was listed: a change between the two is found by the next look.
    held.fingerprint = fingerprint
    places.set(name, held)
  }

  return {
    async level(org, namespace) {
      const name = nameOf(org, namespace)
      // A look under way may have begun before the commit that is waited for.
      const turn = (looks.get(name) ?? Promise.resolve()).catch(() => {}).then(() => look(org, namespace))
      looks.set(name, turn)
      try {
        await turn
      } finally {
        if (looks.get(name) === turn) looks.delete(name)
      }
      return index
    },
    forget(org, namespaces) {
      generation++
      for (const [name, held] of places) {
        const [ofOrg = '', namespace = ''] = name.split('/')
        if (ofOrg !== org || (namespaces !== null && !namespaces.includes(namespace))) continue
        drop(held, [...held.things.keys()])
        places.delete(name)
      }
    },
    get size() {
      return index.size
    },
  }
}
