import type { Chunk, KnowledgeHit } from '../../data/knowledge.ts'
import { KNOWLEDGE as say } from './strings.ts'

/** Where in a document a passage stands: its section, and its page or lines. */
export function placeWords({ page, lines }: Pick<KnowledgeHit | Chunk, 'page' | 'lines'>): string {
  if (page !== null) return say.page(page)
  return lines ? say.lines(lines.from, lines.to) : ''
}

export const sectionWords = (section: readonly string[]): string => section.join(' › ')

/** Address of a document, or of a passage of it. */
export const addressOf = (documentId: string, chunk: number | null = null): string =>
  chunk === null ? documentId : `${documentId}:${chunk}`

export function readAddress(address: string): { readonly id: string; readonly chunk: number | null } {
  const [id = '', chunk] = address.split(':')
  return { id, chunk: chunk !== undefined && /^\d{1,9}$/.test(chunk) ? Number(chunk) : null }
}
