import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { brokenPromises } from '../../helpers/invariants.ts'

const WRITERS = 100

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

const namespace = 'races'
const historyOf = async (memory_key: string) => (await loom.call('memory.history', { namespace, memory_key, limit: 200 })).rows

describe(`${WRITERS} parallel writers of one process`, () => {
  it('with one hash: one wins, whichever operation it called, and the others are told the hash it left [PRE010, PRE011]', async () => {
    const first = await loom.call('memory.set', { namespace, memory_key: 'hash', value: 'Nobody has it yet.' })
    const outcomes = await Promise.allSettled(
      Array.from({ length: WRITERS }, (_, n) => {
        const change = { namespace, value: `Writer ${n} has it.`, if_match_sha256: first.content_sha256 }
        if (n % 3 === 0) return loom.call('memory.update', { ...change, memory_key: 'hash' })
        if (n % 3 === 1)
          return loom.call('memory.update_by_id', {
            memory_id: first.memory_id,
            value: change.value,
            if_match_sha256: change.if_match_sha256,
          })
        return loom.call('memory.set', { ...change, memory_key: 'hash' })
      }),
    )
    const won = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value.content_sha256] : []))
    expect(won).toHaveLength(1)
    for (const one of outcomes) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'PRECONDITION_FAILED', fields: { current_sha256: won[0] } })
    }
    expect(await historyOf('hash')).toHaveLength(2)
  })

  it('of one key: none is lost, and versions strictly increase', async () => {
    const writes = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) =>
        loom.call('memory.set', { namespace, memory_key: 'counter', value: `The counter stood at ${n}.` }),
      ),
    )
    const rows = await historyOf('counter')
    expect(rows.map((row) => row.version)).toEqual(writes.map((write) => write.version).sort((a, b) => (a > b ? -1 : 1)))
    expect(new Set(rows.map((row) => row.value)).size).toBe(WRITERS)
    expect(new Set(rows.map((row) => row.version)).size).toBe(WRITERS)
  })

  it('of one claim under as many keys: one key holds it, the others are merged into it', async () => {
    const value = 'The vault in the north wing opens at nine.'
    const writes = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) => loom.call('memory.set', { namespace, memory_key: `vault/${n}`, value })),
    )
    const held = writes.find((write) => write.conflict_verdict === 'clear')
    expect(writes.filter((write) => write.conflict_verdict !== 'merge')).toHaveLength(1)
    for (const write of writes) if (write !== held) expect(write.merged_into_key).toBe(held?.memory_key)
  })

  it('who set, delete, move, lock, restore and clear the same few keys leave every row whole', async () => {
    const keys = ['m/a', 'm/b', 'm/c']
    const outcomes = await Promise.allSettled(
      Array.from({ length: WRITERS }, (_, n) => {
        const memory_key = keys[n % 3] ?? 'm/a'
        const to_key = keys[(n + 1) % 3] ?? 'm/b'
        switch (n % 8) {
          case 0:
          case 1:
          case 2:
            return loom.call('memory.set', { namespace, memory_key, value: `Shelf ${n} holds ${n * 7} boxes.`, tags: [`t${n}`] })
          case 3:
            return loom.call('memory.delete', { namespace, memory_key })
          case 4:
            return loom.call('memory.restore', { namespace, memory_key })
          case 5:
            return loom.call('memory.move', { namespace, memory_key, to_key })
          case 6:
            return loom.call('memory.bulk_set', {
              namespace,
              entries: keys.map((key) => ({ memory_key: key, value: `Crate ${n} of ${key}.` })),
            })
          default:
            return loom.call('memory.clear', { namespace, agent: 'default', confirm_subject: 'default' })
        }
      }),
    )
    const codes = outcomes.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))
    expect(codes.filter((code) => code !== 'KEY_HOLDS_FACT')).toEqual([])
    expect(await brokenPromises(loom.database, namespace)).toEqual([])
  })
})
