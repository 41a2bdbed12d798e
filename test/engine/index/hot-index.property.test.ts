import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHotIndex } from '../../../shared/engine/index/hot-index.ts'
import { NumberLists } from '../../../shared/engine/index/number-lists.ts'
import type { HotIndex, IndexedRow } from '../../../shared/engine/index/types.ts'
import { unitOf, VectorStore } from '../../../shared/engine/index/vector-store.ts'
import { vectorTop } from '../../../shared/engine/index/vector-leg.ts'
import { query, randomNumbers, row, vectorNear } from './rows.ts'

const DIM = 40
const WORDS = ['deploy', 'friday', 'prod', 'LOOM_HOME', 'デプロイ', '金曜日', 'ada', 'v1.2', 'пятница', 'lunch']

const texts = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
const vectors = fc.option(
  fc.integer({ min: 1, max: 1000 }).map((seed) => vectorNear(null, 1, DIM, randomNumbers(seed))),
  { nil: null },
)

const rows: fc.Arbitrary<IndexedRow> = fc
  .record({
    id: fc.integer({ min: 0, max: 12 }),
    text: texts,
    namespace: fc.constantFrom('n', 'm'),
    sessionId: fc.constantFrom('-', '-', 's', 't'),
    position: fc.integer({ min: 0, max: 5 }),
    chunks: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(texts, { maxLength: 3 }) }),
    tags: fc.subarray(['deploy', 'x']),
    valueVector: vectors,
    keyVector: vectors,
  })
  .map(({ id, text, ...change }) => row(`id${id}`, text, change))

const steps = fc.array(
  fc.oneof({ weight: 3, arbitrary: rows }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 12 }).map((id) => `id${id}`) }),
  { maxLength: 60 },
)

function answers(index: HotIndex): unknown[] {
  const vector = vectorNear(null, 1, DIM, randomNumbers(5))
  return [
    ...(['hybrid', 'lexical', 'vector'] as const).map((mode) =>
      index.search(query('deploy on friday デプロイ loom home', { namespaces: ['n', 'm'], vector, mode, limit: 50 })),
    ),
    index.search(query('prod v1.2 пятница', { keyMatch: false })),
    index.peers({ org: 'o', namespace: 'n', text: 'deploy prod', vector, accept: () => true, limit: 20 }),
  ]
}

test('any series of upserts and removes leaves the index that a fresh one would be', () => {
  fc.assert(
    fc.property(steps, (series) => {
      const lived = createHotIndex({ dim: DIM })
      const left = new Map<string, IndexedRow>()
      for (const step of series) {
        if (typeof step === 'string') {
          lived.remove(step)
          left.delete(step)
        } else {
          lived.upsert(step)
          left.set(step.memoryId, step)
        }
      }
      const fresh = createHotIndex({ dim: DIM })
      for (const each of left.values()) fresh.upsert(each)
      expect(lived.size).toBe(left.size)
      expect(answers(lived)).toEqual(answers(fresh))
    }),
    { numRuns: 200 },
  )
})

test('an index that shrank gives its memory back and still answers', () => {
  const index = createHotIndex({ dim: DIM })
  const random = randomNumbers(3)
  const many = Array.from({ length: 6_000 }, (_, i) =>
    row(`r${i}`, `fact ${i} about topic${i % 97} and ${WORDS[i % WORDS.length]}`, {
      valueVector: vectorNear(null, 1, DIM, random),
      chunks: i % 50 === 0 ? [`chapter ${i}`] : [],
      sessionId: i % 3 === 0 ? `s${i % 60}` : '-',
    }),
  )
  for (const each of many) index.upsert(each)
  const full = index.bytes
  const kept = many.filter((_, i) => i % 20 === 0)
  for (const [i, each] of many.entries()) if (i % 20 !== 0) index.remove(each.memoryId)
  expect(index.bytes).toBeLessThan(full / 5)
  const fresh = createHotIndex({ dim: DIM })
  for (const each of kept) fresh.upsert(each)
  const ask = query('fact about topic40 and chapter', { vector: kept[7]?.valueVector ?? null })
  expect(index.search(ask)).toEqual(fresh.search(ask))
  expect(index.get('r40')).toEqual(fresh.get('r40'))
})

test('lists of numbers behave as arrays do, through growth, reuse and compaction', () => {
  const change = fc.record({
    list: fc.integer({ min: 0, max: 4 }),
    at: fc.nat(40),
    value: fc.nat(1000),
    kind: fc.constantFrom('insert', 'insert', 'insert', 'remove', 'renew'),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300 }), (changes) => {
      const lists = new NumberLists()
      const names = Array.from({ length: 5 }, () => lists.create())
      const model: number[][] = names.map(() => [])
      for (const { list, at, value, kind } of changes) {
        const expected = model[list]!
        const name = names[list]!
        if (kind === 'renew') {
          lists.free(name)
          names[list] = lists.create(at + 1)
          model[list] = []
        } else if (kind === 'insert') {
          const place = Math.min(at, expected.length)
          lists.insert(name, place, value)
          expected.splice(place, 0, value)
        } else if (expected.length > 0) {
          lists.removeAt(name, at % expected.length)
          expected.splice(at % expected.length, 1)
        }
        names.forEach((each, i) => {
          const start = lists.start(each)
          expect([...lists.data.subarray(start, start + lists.length(each))]).toEqual(model[i])
        })
      }
    }),
    { numRuns: 60 },
  )
})

describe('codes and re-rank', () => {
  const dim = 384
  const random = randomNumbers(11)
  const centres = Array.from({ length: 60 }, () => vectorNear(null, 1, dim, random))
  const centre = (): Float32Array => centres[Math.floor(random() * centres.length)]!
  const store = new VectorStore(dim)
  const units: Float32Array[] = []
  for (let i = 0; i < 4_000; i++) {
    const vector = vectorNear(centre(), 1.2, dim, random)
    store.add(i, vector)
    units.push(unitOf(vector)!)
  }
  const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
  const queries = Array.from({ length: 40 }, () => unitOf(vectorNear(centre(), 1.2, dim, random))!)

  test('the cosine of an int8 copy is within .005 of the exact one', () => {
    for (const unit of queries)
      for (let i = 0; i < 4_000; i += 7) expect(Math.abs(store.cosine(unit, i) - dot(unit, units[i]!))).toBeLessThan(0.005)
  })

  test('the ten nearest of 200 re-ranked codes are at least 95% of the exact ten', () => {
    const everything = new Uint8Array(4_000).fill(1)
    let found = 0
    for (const unit of queries) {
      const exact = units
        .map((each, i) => ({ i, cosine: dot(unit, each) }))
        .sort((a, b) => b.cosine - a.cosine)
        .slice(0, 10)
      const top = new Set(vectorTop(store, unit, everything, 10))
      found += exact.filter(({ i }) => top.has(i)).length
    }
    expect(found / (10 * queries.length)).toBeGreaterThanOrEqual(0.95)
  })
})
