import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Relation } from '../../../shared/domain/judge/judge.ts'

/** A labelled pair of claims of `test/data/verdict`, with what vectors and the relation model say of it. */
export interface LabelledPair {
  readonly id: string
  readonly a: { readonly key: string; readonly value: string }
  readonly b: { readonly key: string; readonly value: string }
  readonly label: string
  readonly accept: readonly string[]
  /** Cosine of the texts' vectors (all-MiniLM-L6-v2). */
  readonly similarity: number
  readonly relation: Relation
}

/** Objects of a JSON lines file of `test/data/verdict`. */
export function readLines<T>(name: string): T[] {
  const file = join(import.meta.dirname, '../../data/verdict', name)
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T)
}

export function labelledPairs(): LabelledPair[] {
  const evidence = new Map(
    readLines<{ id: string; similarity: number; relation: Relation }>('evidence.jsonl').map((line) => [line.id, line]),
  )
  return ['dev', 'dev2', 'dev3', 'dev4', 'dev5'].flatMap((set) =>
    readLines<Omit<LabelledPair, 'similarity' | 'relation'>>(`${set}.jsonl`).map((pair) => {
      const found = evidence.get(pair.id)
      if (!found) throw new Error(`no evidence for ${pair.id}`)
      return { ...pair, similarity: found.similarity, relation: found.relation }
    }),
  )
}
