import { detectSensitivity } from '../../shared/domain/sensitivity/detect.ts'

/** What stands where a secret was; the person writes over it where the secret is kept. */
export const LEFT_OUT = '[kept elsewhere]'

const KEY_BLOCK = /-----BEGIN [^-]*PRIVATE KEY-----[\s\S]*?(?:-----END [^-]*PRIVATE KEY-----|$)/

export const looksSecret = (text: string): boolean => detectSensitivity(text) === 'high'

interface Span {
  readonly start: number
  readonly end: number
}

const opacity = (word: string): number =>
  (/\d/.test(word) ? 2 : 0) + (/[^\p{L}\p{N}]/u.test(word.slice(1, -1)) ? 1 : 0) + Math.min(word.length, 40) / 40

/**
 * Where the secret stands: the word without which the text is no longer one, the most opaque where several would do
 * ("password" is not the secret in "the password is violet-harbour-41").
 */
export function secretSpan(text: string): Span | null {
  if (!looksSecret(text)) return null
  const block = KEY_BLOCK.exec(text)
  if (block) return { start: block.index, end: block.index + block[0].length }
  let best: (Span & { weight: number }) | null = null
  for (const match of text.matchAll(/[^\s"'`“”,;]+/g)) {
    const bare = match[0].replace(/[.!?)]+$/, '')
    const start = match.index
    const end = start + bare.length
    if (!bare || looksSecret(text.slice(0, start) + LEFT_OUT + text.slice(end))) continue
    const weight = opacity(bare)
    if (!best || weight >= best.weight) best = { start, end, weight }
  }
  // Two secrets hide one another: no single word clears the text, so begin with the most opaque.
  return best ?? mostOpaque(text)
}

function mostOpaque(text: string): Span {
  const words = [...text.matchAll(/[^\s"'`“”,;]+/g)]
  const found = words.reduce(
    (most, word) => (opacity(word[0]) > opacity(most[0]) ? word : most),
    words[0] as RegExpMatchArray & { index: number },
  )
  return { start: found.index, end: found.index + found[0].length }
}

/** What is left to make a key from: a key is shown in every list, so no word of a secret may get into one. */
export const withoutSecrets = (text: string): string => takeSecretOut(text).text.replaceAll(LEFT_OUT, ' ')

/** The text without its secrets, and where the first of the gaps is. */
export function takeSecretOut(text: string): { text: string; gap: Span | null } {
  let rest = text
  let gap: Span | null = null
  for (let round = 0; round < 20; round++) {
    const span = secretSpan(rest)
    if (!span) break
    rest = rest.slice(0, span.start) + LEFT_OUT + rest.slice(span.end)
    gap = gap && gap.start < span.start ? gap : { start: span.start, end: span.start + LEFT_OUT.length }
  }
  return { text: rest, gap }
}
