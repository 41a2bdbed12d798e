import { describe, expect, it } from 'vitest'
import { nearest, suggested } from '../../../../renderer/screens/timeline/nearest.ts'

const NAMES = ['payments', 'berlin', 'repayments', 'lena fischer', 'Zürich']

describe('names that somebody may mean', () => {
  it('are those that begin with what is typed, then those that hold it', () => {
    expect(suggested(NAMES, 'Pay', 5)).toEqual(['payments', 'repayments'])
    expect(suggested(NAMES, 'zür', 5)).toEqual(['Zürich'])
    expect(suggested(NAMES, 'e', 2)).toEqual(['payments', 'berlin'])
    expect(suggested(NAMES, '  ', 5)).toEqual([])
  })

  it('are near what was typed where none is it, the nearest first', () => {
    expect(nearest(NAMES, 'berlinn', 5)).toEqual(['berlin'])
    expect(nearest(NAMES, 'paymnts', 5)).toEqual(['payments', 'repayments'])
    expect(nearest(NAMES, 'a quite other thing', 5)).toEqual([])
  })
})
