import { describe, expect, it } from 'vitest'
import type { Side } from '../../../../shared/contract/pair.ts'
import { mergeKind, mergeStart, mergeValue } from '../../../../renderer/screens/settling/merge-value.ts'

const side = (value: Side['value']) => ({ value }) as Side

describe('merging by hand', () => {
  it('opens with the later text, or with the one whose form or sight it has', () => {
    expect(mergeStart(side('later'), side('earlier'))).toBe('later')
    expect(mergeStart(side('later'), side({ limit: 600 }))).toContain('"limit": 600')
    expect(mergeStart(side(null), side('earlier'))).toBe('earlier')
    expect(mergeStart(side('later'), side(null))).toBe('later')
  })

  it('keeps the form of the memory whose key stays', () => {
    expect(mergeKind(side('text'))).toBe('text')
    expect(mergeKind(side({ limit: 600 }))).toBe('json')
    expect(mergeValue('  Both. ', 'text')).toEqual({ value: 'Both.' })
    expect(mergeValue('{"limit": 12345678901234567890}', 'json')).toEqual({ value: { limit: 12345678901234567890n } })
  })

  it('sends nothing that is empty or broken', () => {
    expect(mergeValue(' \n ', 'text')).toHaveProperty('problem')
    expect(mergeValue('{"limit": ', 'json')).toHaveProperty('problem')
  })
})
