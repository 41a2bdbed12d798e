/** What a hit shares with its query. */
export interface Reasons {
  readonly matchedWords: readonly string[]
  readonly matchedKeyWords: readonly string[]
  readonly matchedEntities: readonly string[]
  readonly matchedTags: readonly string[]
  readonly similarity: number
}

/** Below this cosine two texts of the default model are as far apart as any two. */
const WORTH_NAMING = 0.25

/** Why a hit matched, in words a person understands: "words: deploy, friday", "meaning 0.71", "key: prod". */
export function why(reasons: Reasons): string[] {
  const lines: string[] = []
  const list = (name: string, found: readonly string[]): void => {
    if (found.length > 0) lines.push(`${name}: ${found.join(', ')}`)
  }
  list('words', reasons.matchedWords)
  if (reasons.similarity >= WORTH_NAMING) lines.push(`meaning ${reasons.similarity.toFixed(2)}`)
  list('key', reasons.matchedKeyWords)
  for (const entity of reasons.matchedEntities) lines.push(`entity: ${entity}`)
  for (const tag of reasons.matchedTags) lines.push(`tag: ${tag}`)
  return lines
}
