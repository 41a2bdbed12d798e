import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A fact, and a question in the same language that it answers and that shares few words with it. */
export interface LanguageFact {
  readonly language: string
  readonly fact: string
  readonly question: string
}

/** Twelve facts each of seven languages, no two of one language about the same. */
export async function languageFacts(): Promise<LanguageFact[]> {
  const lines = await readFile(join(import.meta.dirname, '../data/languages/facts.jsonl'), 'utf8')
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LanguageFact)
}
