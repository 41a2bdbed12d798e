import type { Json } from '../../shared/contract/common.ts'
import { stringifyJson } from '../../shared/contract/json.ts'

/** A value as people read it: a string as it stands, any other JSON set out over lines. */
export interface Readable {
  readonly text: string
  readonly kind: 'text' | 'json'
}

export function readableValue(value: Json | undefined): Readable {
  if (typeof value === 'string') return { text: value, kind: 'text' }
  return { text: value === undefined ? '' : stringifyJson(value, 2), kind: 'json' }
}

/** The claim inside a value: the string, or the `claim` member of an object; else the whole, as text. */
export function claimText(value: Json | undefined): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && 'claim' in value && typeof value.claim === 'string') {
    return value.claim
  }
  return readableValue(value).text
}
