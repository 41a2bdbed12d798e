import { describe, expect, it } from 'vitest'
import { choiceKeys, doesOf, openCounts } from '../../../../renderer/screens/review/strings.ts'
import type { OpenPair } from '../../../../renderer/data/pair.ts'

describe('the words of the queue', () => {
  it('counts items on their way to being settled as settled', () => {
    const counts = { all: 7, conflict: 3, duplicate: 2, low_confidence: 0, proposal: 1, sync: 2 }
    expect(openCounts(counts, ['conflict', 'duplicate', 'sync', 'proposal'])).toEqual({
      all: 3,
      conflict: 2,
      duplicate: 1,
      low_confidence: 0,
      proposal: 0,
      sync: 1,
    })
    expect(openCounts(counts, [])).toEqual(counts)
  })

  it('names what else a row stands against', () => {
    const pair = { row: { memory_key: 'a' }, peer: { memory_key: 'b' }, more: 0 } as OpenPair
    expect(doesOf(pair)).toEqual({ keep: 'a', retire: 'b', rest: '' })
    expect(doesOf({ ...pair, more: 1 }).rest).toContain('one other memory')
  })

  it('offers no keeping of both texts of one key', () => {
    const keys = (row: string, peer: string) =>
      choiceKeys({ row: { memory_id: row }, peer: { memory_id: peer } } as OpenPair).map(([choice]) => choice)
    expect(keys('a', 'b')).toEqual(['keep_row', 'keep_peer', 'keep_both', 'merge'])
    expect(keys('a', 'a')).toEqual(['keep_row', 'keep_peer', 'merge'])
  })
})
