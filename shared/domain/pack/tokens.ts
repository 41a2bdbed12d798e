const QUARTERS = 4

/**
 * What a text costs in quarters of a token: a quarter for each ASCII character, a whole token for each UTF-16 unit of
 * any other script. Tokenizers of today's models need fewer for prose.
 */
export function tokenQuarters(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at++) quarters += text.charCodeAt(at) < 0x80 ? 1 : QUARTERS
  return quarters
}

/** Tokens of a text, by the same measure. */
export function tokensOf(text: string): number {
  return Math.ceil(tokenQuarters(text) / QUARTERS)
}

export const quartersOf = (tokens: number): number => tokens * QUARTERS
