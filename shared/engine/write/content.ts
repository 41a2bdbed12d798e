import { valueAdvisories } from '../../domain/advisories.ts'
import { chunksOf } from '../../domain/claim/chunks.ts'
import { claimText, firstCharacters, isProcedureBody, valueText } from '../../domain/claim/claim-text.ts'
import { indexedText, isDigestKey } from '../../domain/claim/excerpt.ts'
import { detectFiles } from '../../domain/claim/files.ts'
import type { Json } from '../../domain/claim/json.ts'
import { asciiOnly, compactJson } from '../../domain/claim/stored-form.ts'
import { analyse, type Analysis } from '../../domain/judge/analyse.ts'
import { detectSensitivity } from '../../domain/sensitivity/detect.ts'
import { canonicalText } from '../../domain/text/canonical.ts'
import { parseJson } from '../../contract/json.ts'
import type { Head } from '../store/memories.ts'
import { sha256 } from '../store/sha256.ts'

/** Everything that follows from a value and its key alone. */
export interface Content {
  readonly key: string
  readonly value: Json
  /** Compact JSON, as it lies in the store. */
  readonly compact: string
  readonly sha256: string
  /** The value as text, what char_limit counts and the blacklist reads. */
  readonly text: string
  /** What is judged, embedded and quoted. */
  readonly claim: string
  readonly canonicalSha256: string
  /** What is embedded and indexed. */
  readonly indexed: string
  readonly chunks: readonly string[]
  readonly files: readonly string[]
  readonly advisories: readonly string[]
  readonly detected: '' | 'high' | 'medium'
  readonly isProcedure: boolean
  /** The key itself is embedded too, unless it is only a digest. */
  readonly keyIndexed: boolean
}

/** Length of a list's excerpt in characters. */
export const LIST_EXCERPT = 200

export function contentOf(key: string, value: Json, advisoryChars: number): Content {
  const compact = compactJson(value)
  const stored = asciiOnly(compact)
  const claim = claimText(value)
  const text = valueText(value)
  return {
    key,
    value,
    compact,
    sha256: sha256(stored),
    text,
    claim,
    canonicalSha256: sha256(canonicalText(text)),
    indexed: indexedText(claim, key),
    chunks: chunksOf(value, stored, key),
    files: detectFiles(claim),
    advisories: valueAdvisories(value, stored, advisoryChars),
    detected: detectSensitivity(text),
    isProcedure: isProcedureBody(value),
    keyIndexed: !isDigestKey(key),
  }
}

/** What follows from a stored row, without advice. */
export function contentOfHead({ memory_key, value }: Pick<Head, 'memory_key' | 'value'>): Content {
  return contentOf(memory_key, parseJson(value ?? 'null') as Json, 0)
}

/** First characters of the claim for lists, nothing for a row that is withheld. */
export function listExcerpt(content: Content, sensitivity: string): string {
  return sensitivity === 'high' ? '' : firstCharacters(content.claim, LIST_EXCERPT)
}

const analysed = new WeakMap<Content, Analysis>()

/** The claim as the judge reads it; read once. */
export function analysisOf(content: Content): Analysis {
  const known = analysed.get(content) ?? analyse({ key: content.key, text: content.claim })
  analysed.set(content, known)
  return known
}
