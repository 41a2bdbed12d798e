import { parseJson } from '../../../contract/json.ts'
import type { Evidence } from '../../../domain/answer/extract.ts'
import { sentencesOf } from '../../../domain/answer/sentences.ts'
import { chunksOf } from '../../../domain/claim/chunks.ts'
import { claimText, firstCharacters } from '../../../domain/claim/claim-text.ts'
import type { Json } from '../../../domain/claim/json.ts'
import { asciiOnly } from '../../../domain/claim/stored-form.ts'
import { wordShareOf } from '../../../domain/search/word-share.ts'
import type { ReadContext } from '../../handler.ts'
import { vectorsOf } from '../../write/embed.ts'
import type { Source } from './sources.ts'

/** Characters of a long value that are cut into sentences: its start, and around the chunk that matched. */
const READ = 8000
const AROUND_CHUNK = 400
/** Sentences of one row that are looked at more closely, and of all rows: each costs an embedding. */
const OF_ROW = 8
const OF_ALL = 48

/** A sentence with the source that it stands in. */
export interface SourceSentence extends Evidence {
  readonly source: Source
}

function textsOf({ head, hit }: Source): string[] {
  const value = parseJson(head.value ?? 'null') as Json
  const start = firstCharacters(claimText(value), READ)
  if (typeof value !== 'string' || hit === null || hit.chunk === null) return [start]
  const before = chunksOf(value, asciiOnly(head.value ?? ''), head.memory_key).slice(0, hit.chunk + 1)
  const end = before.reduce((sum, chunk) => sum + chunk.length, 0)
  const from = Math.max(0, end - (before.at(-1)?.length ?? 0) - AROUND_CHUNK)
  const around = sentencesOf(value.slice(from, end + AROUND_CHUNK))
  // What the window cuts is no sentence.
  return [start, ...around.slice(from > 0 ? 1 : 0, end + AROUND_CHUNK < value.length ? -1 : undefined)]
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}

interface Found {
  readonly source: Source
  readonly row: number
  readonly text: string
  readonly share: number
}

/**
 * The sentences of the sources, each with its nearness to the question. A row that is one sentence is as near as the
 * row; of a longer one the best sentence is at least that near, for it is what brought the row here.
 */
export async function readSentences(
  sources: readonly Source[],
  query: string,
  vector: Float32Array | null,
  context: ReadContext,
): Promise<SourceSentence[]> {
  const shareOf = wordShareOf(query)
  const rows = sources.map((source, row) => {
    const texts = [...new Set(textsOf(source).flatMap(sentencesOf))]
    const found = texts.map((text): Found => ({ source, row, text, share: shareOf(text) }))
    return found.toSorted((a, b) => b.share - a.share).slice(0, OF_ROW)
  })
  const several = vector === null ? [] : rows.filter((found) => found.length > 1 && found[0]?.source.hit).flat()
  const close = several.slice(0, OF_ALL)
  const vectors =
    close.length > 0
      ? await vectorsOf(
          close.map(({ text }) => text),
          context,
        )
      : null
  const cosines = new Map(close.map((found, at) => [found, cosineAt(vectors?.vectors[at], vector)]))
  return rows.flatMap((found) => {
    const hit = found[0]?.source.hit ?? null
    const near = found.map((one) => ({ one, similarity: Math.max(0, cosines.get(one) ?? 0), coverage: one.share }))
    const best = near.toSorted((a, b) => Math.max(b.similarity, b.coverage) - Math.max(a.similarity, a.coverage))[0]
    return near.map((told): SourceSentence => {
      const { source, row, text } = told.one
      const isBest = told === best && hit !== null
      return {
        source,
        row,
        text,
        key: source.head.memory_key,
        rankScore: hit?.rankScore ?? 0,
        similarity: isBest ? Math.max(told.similarity, hit.similarity) : told.similarity,
        coverage: isBest ? Math.max(told.coverage, hit.coverage) : told.coverage,
      }
    })
  })
}

function cosineAt(made: Float32Array | undefined, vector: Float32Array | null): number {
  return made === undefined || vector === null ? 0 : dot(made, vector)
}
