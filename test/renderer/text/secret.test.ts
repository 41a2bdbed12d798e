import { describe, expect, it } from 'vitest'
import { LEFT_OUT, looksSecret, secretSpan, takeSecretOut, withoutSecrets } from '../../../renderer/text/secret.ts'
import { suggestKeys } from '../../../renderer/text/suggest-key.ts'

const found = (text: string): string => {
  const span = secretSpan(text)
  return span ? text.slice(span.start, span.end) : ''
}

describe('secrets', () => {
  it.each([
    ['The staging database password is violet-harbour-41.', 'violet-harbour-41'],
    ['Use ghp_abcdefghijklmnopqrstuvwxyz0123456789 for the bot', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'],
    ['The PIN is 4711, ask Ada', '4711'],
  ])('are found where they stand: %s', (text, secret) => {
    expect(found(text)).toBe(secret)
  })

  it('are taken out, and nothing of them stays', () => {
    const { text, gap } = takeSecretOut('The staging database password is violet-harbour-41.')
    expect(text).toBe(`The staging database password is ${LEFT_OUT}.`)
    expect(gap && text.slice(gap.start, gap.end)).toBe(LEFT_OUT)
    expect(looksSecret(text)).toBe(false)
  })

  it('are all taken out where there are several', () => {
    const two = 'password is violet-harbour-41 and token: 8f3kd92kd0s9dk29dk'
    const { text } = takeSecretOut(two)
    expect(looksSecret(text)).toBe(false)
    expect(text).not.toMatch(/violet|8f3kd/)
  })

  it('take a whole private key with them', () => {
    const { text } = takeSecretOut('key:\n-----BEGIN PRIVATE KEY-----\nMIIEvQ\nabc\n-----END PRIVATE KEY-----\nthat is it')
    expect(text).not.toContain('MIIEvQ')
    expect(text).toContain('that is it')
  })

  it('never give a word to a key', () => {
    const keys = suggestKeys(withoutSecrets('The staging database password is violet-harbour-41.'))
    expect(keys[0]).toBe('staging/database/password')
    expect(keys.join()).not.toMatch(/violet|kept|elsewhere/)
  })

  it('leave other text alone', () => {
    expect(takeSecretOut('The office opens at eight.')).toEqual({ text: 'The office opens at eight.', gap: null })
  })
})
