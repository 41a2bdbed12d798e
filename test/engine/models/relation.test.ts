import { beforeAll, expect, test } from 'vitest'
import type { Relation, RelationModel } from '../../../shared/engine/ports.ts'
import { testModels } from '../../helpers/models.ts'

let relation: RelationModel

beforeAll(async () => {
  relation = (await testModels()).relation!
  expect(relation.id).toBe('loom-relation-2')
})

test.each([
  ['conflict', 'Deploys happen Tuesday and Thursday only, never on Friday', 'Deploys run Monday to Thursday'],
  ['conflict', 'The office opens at nine', 'The office opens at ten'],
  ['duplicate', 'The standup is at 5pm', 'The standup is at 17:00'],
  ['clear', 'Alice lives in Paris', 'The API rate limit is 100 requests per minute'],
] as const)('%s: "%s" and "%s"', async (verdict, a, b) => {
  expect(largest(await relate(a, b))).toBe(verdict)
})

test('the probabilities sum to 1', async () => {
  const { duplicate, refines, conflict, clear } = await relate('Alice lives in Paris', 'Alice lives in Rome')
  expect(duplicate + refines + conflict + clear).toBeCloseTo(1, 6)
})

test('the order of the claims does not matter', async () => {
  const [a, b] = ['The limit is 5 users', 'At most five people may use it at once, the limit says']
  const one = await relate(a, b)
  const other = await relate(b, a)
  for (const verdict of ['duplicate', 'refines', 'conflict', 'clear'] as const) {
    expect(other[verdict]).toBeCloseTo(one[verdict], 6)
  }
})

test('a pair has the same relation alone and among others, and answers come in order', async () => {
  const pairs = [
    { a: 'Alice lives in Paris', b: 'Alice lives in Rome' },
    { a: 'x', b: 'A long claim that says that the office opens at nine on every day of the week but Sunday' },
    { a: 'The standup is at 5pm', b: 'The standup is at 17:00' },
  ]
  const apart = await Promise.all(pairs.map(({ a, b }) => relate(a, b)))
  expect(await relation.relate(pairs)).toEqual(apart)
})

test.each([
  ['', ''],
  ['', 'Alice lives in Paris'],
  ['東京のオフィスは月曜日に開きます', '東京のオフィスは火曜日に開きます'],
  ['a\u0000b', 'c\ud800d'],
  ['The office opens at nine. '.repeat(1600), 'The office opens at ten.'],
  ['a'.repeat(40_000), '9'.repeat(40_000)],
])('any two texts have a relation (%#)', async (a, b) => {
  const { duplicate, refines, conflict, clear } = await relate(a, b)
  expect(duplicate + refines + conflict + clear).toBeCloseTo(1, 6)
})

test('a short claim is read to its end beside a long one, in either place', async () => {
  const long = 'The office opens at nine and has a kitchen. '.repeat(100)
  for (const pair of [(b: string) => relate(long, b), (b: string) => relate(b, long)]) {
    expect(await pair('The office opens at nine.')).not.toEqual(await pair('The office opens at ten.'))
  }
})

async function relate(a: string, b: string): Promise<Relation> {
  return (await relation.relate([{ a, b }]))[0]!
}

function largest(relation: Relation): string {
  return Object.entries(relation).sort(([, x], [, y]) => y - x)[0]![0]
}
