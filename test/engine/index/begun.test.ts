import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHotIndex } from '../../../shared/engine/index/hot-index.ts'
import type { IndexedRow } from '../../../shared/engine/index/types.ts'
import { query, randomNumbers, row, vectorNear } from './rows.ts'

const DIM = 40
const VECTOR = vectorNear(null, 1, DIM, randomNumbers(5))
const TEXT = 'deploy on friday'

const { vector: _vector, ...asked } = query(TEXT, { limit: 50 })
const about = { org: 'o', namespace: 'n', text: TEXT, accept: () => true, limit: 20 }

const rows: fc.Arbitrary<IndexedRow> = fc
  .record({
    id: fc.integer({ min: 0, max: 8 }),
    words: fc.array(fc.constantFrom('deploy', 'friday', 'prod', 'lunch'), { minLength: 1, maxLength: 4 }),
    status: fc.constantFrom('active', 'active', 'conflicted', 'superseded'),
    validTo: fc.constantFrom(null, null, 5),
    seed: fc.integer({ min: 1, max: 1000 }),
  })
  .map(({ id, words, seed, ...change }) =>
    row(`id${id}`, words.join(' '), { ...change, valueVector: vectorNear(null, 1, DIM, randomNumbers(seed)) }),
  )
const steps = fc.array(
  fc.oneof({ weight: 3, arbitrary: rows }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 8 }).map((id) => `id${id}`) }),
  { maxLength: 20 },
)

test('what is begun answers with the rows that are there when the vector is', () => {
  fc.assert(
    fc.property(steps, steps, (before, after) => {
      const index = createHotIndex({ dim: DIM })
      const apply = (step: IndexedRow | string): void => (typeof step === 'string' ? index.remove(step) : index.upsert(step))
      before.forEach(apply)
      const search = index.beginSearch(asked)
      const peers = index.beginPeers(about)
      after.forEach(apply)
      expect(search(VECTOR)).toEqual(index.search({ ...asked, vector: VECTOR }))
      expect(peers.answer(VECTOR)).toEqual(index.peers({ ...about, vector: VECTOR }))
    }),
  )
})

test('a search that is known to take every plain row finds what asking each of them finds', () => {
  fc.assert(
    fc.property(steps, (series) => {
      const index = createHotIndex({ dim: DIM })
      for (const step of series) {
        if (typeof step === 'string') index.remove(step)
        else index.upsert(step)
      }
      const accept = (doc: { status: string; validTo: number | null }): boolean =>
        ['active', 'conflicted'].includes(doc.status) && (doc.validTo === null || doc.validTo > 7)
      const whole = { ...asked, accept, vector: VECTOR }
      expect(index.search({ ...whole, acceptsPlain: true })).toEqual(index.search(whole))
    }),
  )
})

test('the vector of a key that comes later counts as one that came with its row', () => {
  const key = vectorNear(VECTOR, 0.9, DIM, randomNumbers(7))
  const [late, whole] = [createHotIndex({ dim: DIM }), createHotIndex({ dim: DIM })]
  const search = late.beginSearch(asked)
  for (const id of ['a', 'b']) {
    late.upsert(row(id, 'lunch'))
    whole.upsert(row(id, 'lunch', id === 'a' ? { keyVector: key } : {}))
  }
  late.addKeyVector('a', key)
  late.addKeyVector('gone', key)
  expect(search(VECTOR)).toEqual(whole.search({ ...asked, vector: VECTOR }))
  expect(search(VECTOR).hits.map((hit) => hit.memoryId)).toEqual(['a'])
  // The one that a row has stays: a write that came meanwhile knows better.
  late.addKeyVector(
    'a',
    key.map((value) => -value),
  )
  expect(search(VECTOR)).toEqual(whole.search({ ...asked, vector: VECTOR }))
  late.remove('a')
  expect(search(VECTOR).hits).toEqual([])
})
