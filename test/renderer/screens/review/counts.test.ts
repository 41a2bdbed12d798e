import { describe, expect, it } from 'vitest'
import { doesOf, openCounts } from '../../../../renderer/screens/review/strings.ts'
import type { OpenPair } from '../../../../renderer/data/pair.ts'

describe('the words of the queue', () => {
  it('counts pairs on their way to being settled as settled', () => {
    const counts = { all: 5, conflict: 3, duplicate: 2, low_confidence: 0 }
    expect(openCounts(counts, ['conflict', 'duplicate'])).toEqual({ all: 3, conflict: 2, duplicate: 1, low_confidence: 0 })
    expect(openCounts(counts, [])).toEqual(counts)
  })

  it('names what else a row stands against', () => {
    const pair = { row: { memory_key: 'a' }, peer: { memory_key: 'b' }, more: 0 } as OpenPair
    expect(doesOf(pair)).toEqual({ keep: 'a', retire: 'b', rest: '' })
    expect(doesOf({ ...pair, more: 1 }).rest).toContain('one other memory')
  })
})
