import type { Json } from '../../../shared/contract/common.ts'
import { parseJson } from '../../../shared/contract/json.ts'
import type { Side } from '../../../shared/contract/pair.ts'
import { readableValue } from '../../text/value-text.ts'
import { MERGE } from './strings.ts'

/** The form of what stays: text, or JSON where the memory that keeps its key holds JSON. */
export const mergeKind = (peer: Side): 'text' | 'json' => readableValue(peer.value ?? '').kind

/** What the field opens with: the later text; the other one where that is of another form, or kept from view. */
export function mergeStart(row: Side, peer: Side): string {
  const mine = readableValue(row.value ?? '')
  return row.value !== null && mine.kind === mergeKind(peer) ? mine.text : readableValue(peer.value ?? '').text
}

export function mergeValue(text: string, kind: 'text' | 'json'): { value: Json } | { problem: string } {
  if (!text.trim()) return { problem: MERGE.empty }
  if (kind === 'text') return { value: text.trim() }
  try {
    return { value: parseJson(text) as Json }
  } catch {
    return { problem: MERGE.json }
  }
}
