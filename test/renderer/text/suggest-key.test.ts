import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { suggestKeys } from '../../../renderer/text/suggest-key.ts'
import { MemoryKey } from '../../../shared/contract/common.ts'

describe('suggestKeys', () => {
  it.each([
    ['Production deploys run Tuesday and Thursday only.', 'production/deploys'],
    ['The on-call phone moves to Aylin from 1 December.', 'on-call/phone'],
    ['The staging database password is kept in the vault.', 'staging/database/password'],
    ['El pipeline de despliegue es del equipo de plataforma.', 'pipeline/despliegue'],
    ['Das Büro in Berlin ist um acht Uhr offen.', 'büro/berlin'],
  ])('names what the claim is about: %s', (text, key) => {
    expect(suggestKeys(text)[0]).toBe(key)
  })

  it('has no more than three, all different', () => {
    const keys = suggestKeys('The quarterly change freeze calendar needs written approval by Priya.')
    expect(keys.length).toBeLessThanOrEqual(3)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('finds a key in Japanese, and none where there is no word', () => {
    expect(suggestKeys('本番デプロイの連絡先は佐藤さん。')[0]).toContain('連絡先')
    expect(suggestKeys('… ?! ')).toEqual([])
  })

  it('only ever suggests keys that the contract takes [KEY002]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        for (const key of suggestKeys(text)) expect(MemoryKey.safeParse(key).success, key).toBe(true)
      }),
    )
  })
})
