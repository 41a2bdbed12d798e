import { snapshotOf } from './doc-view.ts'
import { createPartition, type Partition } from './partition.ts'

const SMALL = 4_096

/** Whether most places of a partition are free: it held much more than it does. */
export function isSparse({ docs }: Partition): boolean {
  return docs.limit > SMALL && docs.count < docs.limit / 4
}

/** The same rows in as little room as they need, under new document numbers without gaps. */
export function repack(partition: Partition): Partition {
  const { docs, words, values, keys } = partition
  const packed = { ...createPartition(docs.org, docs.namespace, values.dim), values, keys }
  for (let doc = 0; doc < docs.limit; doc++) {
    if (!docs.isAlive(doc)) continue
    const { columns } = docs
    const moved = packed.docs.add(snapshotOf(docs, doc), {
      author: docs.text('author', doc),
      textLength: columns.textLength[doc]!,
      bodyHash: columns.bodyHash[doc]!,
      asks: docs.asks(doc),
      ofSelf: docs.ofSelf(doc),
      tellsWhen: docs.tellsWhen(doc),
    })
    const passage = (old: number): number => packed.words.add(moved, words.chunks[old]!, words.entriesOf(old), words.lengths[old]!)
    packed.docs.columns.passage[moved] = passage(columns.passage[doc]!)
    const chunks = docs.chunkPassages.get(doc)
    if (chunks !== undefined) packed.docs.chunkPassages.set(moved, chunks.map(passage))
    const valueRow = (packed.docs.columns.valueRow[moved] = columns.valueRow[doc]!)
    const keyRow = (packed.docs.columns.keyRow[moved] = columns.keyRow[doc]!)
    if (valueRow >= 0) values.reown(valueRow, moved)
    if (keyRow >= 0) keys.reown(keyRow, moved)
    if (packed.docs.text('sessionId', moved) !== '-') packed.sessions.add(moved)
  }
  return packed
}
