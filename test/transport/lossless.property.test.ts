import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { OPENING_MS, ROADS, testEngine } from '../helpers/transports.ts'

/** Any u64, with a leaning to those that a double cannot hold. */
const u64 = fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(2n ** 53n, 2n ** 53n + 1000n), fc.bigInt(2n ** 64n - 1000n, 2n ** 64n - 1n))

const same = (read: unknown, written: bigint): void => {
  // Small integers may come as number; what matters is that no digit is lost.
  expect(typeof read === 'number' && !Number.isSafeInteger(read)).toBe(false)
  expect(BigInt(read as number)).toBe(written)
}

beforeAll(testEngine, OPENING_MS)

describe.each(Object.entries(ROADS))('over %s', (name, open) => {
  test('[SET012] a random u64 and the version survive without loss', async () => {
    const road = await open(await testEngine())
    const namespace = `u64-${name.replaceAll(' ', '-')}`
    const seen = new Set<bigint>()
    try {
      await fc.assert(
        fc.asyncProperty(u64, fc.bigInt(-(2n ** 64n), 2n ** 64n), async (id, other) => {
          const value = { id, list: [other, { deep: id }] }
          const set = await road.call('memory.set', { namespace, memory_key: 'number/one', memory_type: 'episodic', value })
          const row = await road.call('memory.get', { namespace, memory_key: 'number/one' })
          const read = row.value as { id: unknown; list: [unknown, { deep: unknown }] }
          same(read.id, id)
          same(read.list[0], other)
          same(read.list[1].deep, id)
          // The version is past 2^53, is the same on every road, and comes as text besides.
          expect(set.version).toBe(row.version)
          expect(String(row.version)).toBe(row.version_text)
          expect(typeof row.version).toBe('bigint')
          seen.add(row.version as bigint)
          // And it goes back in: the head that a caller holds is known by its last digit.
          const held = await road.call('memory.get', { namespace, memory_key: 'number/one', if_version: row.version })
          expect(held.unchanged).toBe(true)
          const off = await road.call('memory.get', { namespace, memory_key: 'number/one', if_version: (row.version as bigint) + 1n })
          expect(off.unchanged).toBe(false)
        }),
        { numRuns: 25 },
      )
      expect(seen.size).toBeGreaterThan(20)
    } finally {
      await road.close?.()
    }
  })
})
