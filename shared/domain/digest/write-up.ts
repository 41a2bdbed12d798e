import { cutAtWord } from '../answer/sentences.ts'

export interface ChangeCounts {
  readonly written: number
  readonly revised: number
  readonly retired: number
  readonly deleted: number
}

const CLAIM = 400

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

/** A digest without a language model: the counts in words, and claims as they stand, each with its key. */
export function writeUp(counts: ChangeCounts, claims: readonly { readonly key: string; readonly text: string }[]): string {
  const { written, revised, retired, deleted } = counts
  const head = `${plural(written, 'memory').replace('memorys', 'memories')} written, ${revised} revised, ${retired} retired, ${deleted} deleted.`
  return [head, ...claims.map(({ key, text }) => `- ${cutAtWord(text.replaceAll(/\s+/g, ' ').trim(), CLAIM)} [${key}]`)].join('\n')
}
