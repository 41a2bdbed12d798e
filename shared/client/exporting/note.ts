import { stringify } from 'yaml'
import { stringifyJson } from '../../contract/json.ts'
import { claimText } from '../../domain/claim/claim-text.ts'
import type { Json } from '../../domain/claim/json.ts'

/** A memory as a Markdown note for reading. */

type Row = Readonly<Record<string, unknown>>

/** Names that some system keeps for itself. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i
const LONGEST_PART = 80

function partOf(part: string): string {
  const plain = part.replaceAll(/[^\p{L}\p{N}._ -]+/gu, '_').replaceAll(/^[. ]+|[. ]+$/g, '')
  const short = [...plain].slice(0, LONGEST_PART).join('')
  return short === '' || RESERVED.test(short) ? `_${short}` : short
}

/** Path of a row's note, inside the folder and on every system; `taken` tells apart those that would be one. */
export function notePath(row: Row, taken: Set<string>): string {
  const parts = String(row['memory_key']).split('/').map(partOf)
  const plain = parts.join('/')
  const name = taken.has(plain.toLowerCase()) ? `${plain}-${String(row['memory_id']).slice(-12)}` : plain
  taken.add(name.toLowerCase())
  return `${name}.md`
}

const SHOWN = ['memory_key', 'agent', 'user_id', 'session_id', 'status', 'memory_type', 'tags', 'entities', 'categories', 'confidence', 'sensitivity', 'valid_at', 'valid_to', 'created_at', 'updated_at', 'source_class', 'source_trace'] as const // prettier-ignore

export function noteOf(row: Row): string {
  const told = SHOWN.map((name) => [name, row[name]] as const).filter(
    ([, value]) => value !== null && value !== '' && value !== '-' && !(Array.isArray(value) && value.length === 0),
  )
  const value = row['value'] as Json
  const body = typeof value === 'string' ? value : `${claimText(value)}\n\n\`\`\`json\n${stringifyJson(value)}\n\`\`\``
  return `---\n${stringify(Object.fromEntries(told))}---\n\n${body}\n`
}
