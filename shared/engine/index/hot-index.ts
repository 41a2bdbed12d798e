import { fold } from '../../domain/text/fold.ts'
import { DocView, snapshotOf } from './doc-view.ts'
import { addKeyVector, addRow, createPartition, partitionBytes, removeDoc, type Partition } from './partition.ts'
import { beginPeers } from './peers.ts'
import { isSparse, repack } from './repack.ts'
import { beginSearch } from './search.ts'
import type { HotIndex, PeersBegun } from './types.ts'

const DEFAULT_DIM = 384
const NO_PEERS: PeersBegun = { byWords: [], answer: () => [] }

interface Place {
  readonly partition: Partition
  readonly doc: number
}

/**
 * An empty index for vectors of a length. Rows of one namespace of one org share a partition; nothing that is
 * searched in one partition is read in another.
 */
export function createHotIndex({ dim = DEFAULT_DIM }: { readonly dim?: number } = {}): HotIndex {
  const partitions = new Map<string, Map<string, Partition>>()
  const places = new Map<string, Place>()

  const partitionAt = (org: string, namespace: string): Partition | undefined => partitions.get(org)?.get(namespace)

  const forget = ({ docs }: Partition): void => {
    const ofOrg = partitions.get(docs.org)
    ofOrg?.delete(docs.namespace)
    if (ofOrg?.size === 0) partitions.delete(docs.org)
  }

  const put = (partition: Partition): void => {
    const { org, namespace } = partition.docs
    const ofOrg = partitions.get(org) ?? new Map<string, Partition>()
    partitions.set(org, ofOrg.set(namespace, partition))
  }

  const removePlace = (memoryId: string, place: Place): void => {
    removeDoc(place.partition, place.doc)
    places.delete(memoryId)
    if (place.partition.docs.count === 0) forget(place.partition)
    else if (isSparse(place.partition)) {
      const partition = repack(place.partition)
      put(partition)
      for (let doc = 0; doc < partition.docs.limit; doc++) places.set(partition.docs.memoryIds[doc]!, { partition, doc })
    }
  }

  const inScope = ({ org, namespaces }: { readonly org: string; readonly namespaces: readonly string[] }): Partition[] =>
    [...new Set(namespaces)].flatMap((namespace) => partitionAt(org, namespace) ?? [])

  /** What was begun over partitions is begun anew where a row has come or gone since. */
  function unlessChanged<T>(scope: () => Partition[], begin: (partitions: Partition[]) => T): () => T {
    const before = scope()
    const changes = before.map(({ docs }) => docs.changes)
    const begun = begin(before)
    return () => {
      const now = scope()
      const isSame =
        now.length === before.length && now.every((partition, at) => partition === before[at] && partition.docs.changes === changes[at])
      return isSame ? begun : begin(now)
    }
  }

  return {
    upsert(row) {
      for (const vector of [row.valueVector, row.keyVector]) {
        if (vector !== null && vector.length !== dim) {
          throw new RangeError(`The index holds vectors of length ${dim}; this one has ${vector.length}.`)
        }
      }
      const known = places.get(row.memoryId)
      if (known !== undefined) removePlace(row.memoryId, known)
      let partition = partitionAt(row.org, row.namespace)
      if (partition === undefined) {
        partition = createPartition(row.org, row.namespace, dim)
        put(partition)
      }
      places.set(row.memoryId, { partition, doc: addRow(partition, row) })
    },
    addKeyVector(memoryId, vector) {
      const place = places.get(memoryId)
      if (place !== undefined && vector.length === dim) addKeyVector(place.partition, place.doc, vector)
    },
    remove(memoryId) {
      const place = places.get(memoryId)
      if (place !== undefined) removePlace(memoryId, place)
    },
    get(memoryId) {
      const place = places.get(memoryId)
      return place === undefined ? null : snapshotOf(place.partition.docs, place.doc)
    },
    get size() {
      return places.size
    },
    get bytes() {
      let sum = places.size * 80
      for (const ofOrg of partitions.values()) for (const partition of ofOrg.values()) sum += partitionBytes(partition)
      return sum
    },
    hasTag: (org, namespace, tag) => partitionAt(org, namespace)?.docs.tagCounts.has(fold(tag)) ?? false,
    some(org, namespaces, is) {
      return inScope({ org, namespaces }).some(({ docs }) => {
        const view = new DocView(docs, 0)
        for (; view.doc < docs.limit; view.doc++) if (docs.isAlive(view.doc) && is(view)) return true
        return false
      })
    },
    search: (query) => beginSearch(inScope(query), query)(query.vector),
    peers(query) {
      const partition = partitionAt(query.org, query.namespace)
      return partition === undefined ? [] : beginPeers(partition, query).answer(query.vector)
    },
    beginSearch(query) {
      const begun = unlessChanged(
        () => inScope(query),
        (partitions) => beginSearch(partitions, query),
      )
      return (vector) => begun()(vector)
    },
    beginPeers(query) {
      const begun = unlessChanged(
        () => inScope({ org: query.org, namespaces: [query.namespace] }),
        ([partition]) => (partition === undefined ? NO_PEERS : beginPeers(partition, query)),
      )
      return { byWords: begun().byWords, answer: (vector) => begun().answer(vector) }
    },
    clear() {
      partitions.clear()
      places.clear()
    },
  }
}
