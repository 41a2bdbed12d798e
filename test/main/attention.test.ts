import { describe, expect, test } from 'vitest'
import { noticesOf, type Standing } from '../../main/attention.ts'

const standing = (sync: Partial<Standing['sync']> = {}, failed: readonly string[] = []): Standing => ({
  sync: { state: 'idle', inbox: 0, quarantined: 0, erasures_failed: [], ...sync },
  failed,
})

describe('what a person is told of', () => {
  test('is nothing at the first look, and nothing that stood there already', () => {
    const many = standing({ state: 'revoked', inbox: 3, quarantined: 1, erasures_failed: ['er_1'] }, ['er_2'])
    expect(noticesOf(null, many)).toEqual([])
    expect(noticesOf(many, many)).toEqual([])
  })

  test('is what is new and needs them, each with the place where it is settled', () => {
    const now = standing({ state: 'revoked', inbox: 2, quarantined: 1, erasures_failed: ['er_1'] }, ['er_2'])
    expect(noticesOf(standing(), now).map(({ title, place }) => [title, place.join('/')])).toEqual([
      ['2 changes need you', 'review'],
      ['The server could not take a change', 'settings/team'],
      ['The team does not let this computer in any more', 'settings/team'],
      ['2 erasures are not finished', 'privacy'],
    ])
  })

  test('is nothing that was settled, and nothing that passes by itself', () => {
    expect(noticesOf(standing({ inbox: 2, erasures_failed: ['er_1'] }), standing({ state: 'offline', inbox: 1 }))).toEqual([])
    expect(noticesOf(standing({}, ['er_1']), standing({}, ['er_2']))).toHaveLength(1)
  })
})
