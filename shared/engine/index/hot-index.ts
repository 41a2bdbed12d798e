import { fold } from '../../domain/text/fold.ts'
import { snapshotOf } from './doc-view.ts'
import { addRow, createPartition, partitionBytes, removeDoc, type Partition } from './partition.ts'
import { peersIn } from './peers.ts'
import { isSparse, repack } from './repack.ts'
import { searchPartitions } from './search.ts'
import type { HotIndex } from './types.ts'

const DEFAULT_DIM = 384

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
    search(query) {
      const inScope = [...new Set(query.namespaces)].flatMap((namespace) => partitionAt(query.org, namespace) ?? [])
      return searchPartitions(inScope, query)
    },
    peers(query) {
      const partition = partitionAt(query.org, query.namespace)
      return partition === undefined ? [] : peersIn(partition, query)
    },
    clear() {
      partitions.clear()
      places.clear()
    },
  }
}
