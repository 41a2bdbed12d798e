import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { parseJson } from '../../../contract/json.ts'
import type { contextPack } from '../../../contract/ops/context/pack.ts'
import { chunksOf } from '../../../domain/claim/chunks.ts'
import { claimText, isProcedureBody, valueText } from '../../../domain/claim/claim-text.ts'
import { EXCERPT_LIMIT } from '../../../domain/claim/excerpt.ts'
import { isObject, type Json } from '../../../domain/claim/json.ts'
import { asciiOnly } from '../../../domain/claim/stored-form.ts'
import { cutAtWord } from '../../../domain/answer/sentences.ts'
import { cutAtSentence } from '../../../domain/pack/fill.ts'
import { tokensOf } from '../../../domain/pack/tokens.ts'
import type { ReadContext } from '../../handler.ts'
import type { Head } from '../../store/memories.ts'
import type { Candidate } from './candidates.ts'

export type PackedItem = Output<typeof contextPack>['sections'][number]['items'][number]
export type Item = Omit<PackedItem, 'tokens'>

/** An item with what its text, as it stands in the bundle, costs. */
export const priced = (item: Item): PackedItem => ({ ...item, tokens: tokensOf(item.text) })

/** The start of a long text, at the end of a sentence where there is one. */
export function startOf(text: string, most: number): string {
  if (text.length <= most) return text
  return cutAtSentence(text.slice(0, most), () => true) ?? cutAtWord(text, most)
}

function stepText(step: Json): string {
  if (!isObject(step)) return valueText(step)
  const check = typeof step['check'] === 'string' && step['check'] !== '' ? ` (check: ${step['check']})` : ''
  return `${valueText(step['do'] ?? '')}${check}`
}

function procedureOf(value: { readonly [name: string]: Json }): { title: string; text: string } {
  const steps = (value['steps'] as readonly Json[]).map((step, at) => `${at + 1}. ${stepText(step)}`)
  const situation = typeof value['situation'] === 'string' && value['situation'] !== '' ? [value['situation']] : []
  return { title: typeof value['title'] === 'string' ? value['title'] : '', text: [...situation, ...steps].join('\n') }
}

function saidOf({ head, chunk }: Candidate, chunks: boolean): { title: string; text: string } {
  const value = parseJson(head.value ?? 'null') as Json
  if (isObject(value) && isProcedureBody(value)) return procedureOf(value)
  const title = head.memory_key
  const matched = chunks && chunk !== null ? chunksOf(value, asciiOnly(head.value ?? ''), head.memory_key)[chunk] : undefined
  return { title, text: matched?.trim() ?? startOf(claimText(value), EXCERPT_LIMIT) }
}

interface Marks {
  readonly conflicted: ReadonlySet<string>
  readonly unsure: ReadonlySet<string>
  readonly stale: ReadonlySet<string>
}

/** Which rows an unsure finding names, and which were built from rows that have been superseded since. */
export async function marksOf(heads: readonly Head[], conflicted: ReadonlySet<string>, { db, identity }: ReadContext): Promise<Marks> {
  const ids = heads.map((head) => head.memory_id)
  const { rows } = await sql<{ id: string; mark: 'unsure' | 'stale' }>`
    SELECT p.row_id AS id, 'unsure' AS mark FROM loom.memory_pair p
      WHERE p.org = ${identity.org} AND p.state = 'open' AND p.unsure AND p.row_id = any(${ids}::text[])
    UNION SELECT p.peer_id, 'unsure' FROM loom.memory_pair p
      WHERE p.org = ${identity.org} AND p.state = 'open' AND p.unsure AND p.peer_id = any(${ids}::text[])
    UNION SELECT s.memory_id, 'stale' FROM loom.memory_summary s
      JOIN loom.memory h ON h.org = s.org AND h.memory_id = s.memory_id AND h.version = s.version
      JOIN loom.memory m ON m.org = s.org AND m.memory_id = s.source_id AND m.status = 'superseded'
      WHERE s.org = ${identity.org} AND s.memory_id = any(${ids}::text[])`.execute(db)
  const marked = (mark: string): Set<string> => new Set(rows.filter((row) => row.mark === mark).map((row) => row.id))
  return { conflicted, unsure: marked('unsure'), stale: marked('stale') }
}

export function memoryItem(candidate: Candidate, marks: Marks, chunks: boolean): Item {
  const { head } = candidate
  const { memory_id: id } = head
  const flags: Item['flags'] = [
    ...(head.status === 'conflicted' || marks.conflicted.has(id) ? (['conflicted'] as const) : []),
    ...(marks.unsure.has(id) ? (['unsure'] as const) : []),
    ...(marks.stale.has(id) ? (['stale'] as const) : []),
    ...(head.source_class === 'external' ? (['external'] as const) : []),
  ]
  const { title, text } = saidOf(candidate, chunks)
  const at = (head.valid_at ?? head.created_at).toISOString()
  return {
    ref: head.memory_key,
    kind: 'memory',
    title: title === '' ? head.memory_key : title,
    text,
    memory_id: id,
    at,
    why: [...candidate.why],
    flags,
  }
}
