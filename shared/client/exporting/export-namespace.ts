import type { Client } from '../create-client.ts'
import { stringifyJson } from '../../contract/json.ts'
import { EXPORT_FORM, EXPORT_ORDER } from '../../contract/export-order.ts'
import type { ExportSection } from '../../contract/ops/namespace/export.ts'

export interface ExportOptions {
  readonly org?: string
  readonly namespace?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly section: ExportSection; readonly rows: number }) => void
}

type Row = Readonly<Record<string, unknown>>
type Place = Pick<ExportOptions, 'org' | 'namespace'>

/** One row of an export, or the line that stands before those of a section. */
export interface ExportLine {
  readonly section: ExportSection
  /** JSON, without the end of the line. */
  readonly text: string
  /** Null for the line before the rows. */
  readonly row: Row | null
}

const PAGE = 1000
/** Characters of base64 in one line. */
const PIECE = 1024 * 1024

/** The file that a document was read from, where its text is not the whole of it; a piece a line, after the document's. */
async function* originalOf(client: Client, row: Row, place: Place, signal: AbortSignal | undefined): AsyncGenerator<Row> {
  const document_id = String(row['document_id'])
  const { content_base64 } = await client.knowledge.get({ ...place, document_id, include: 'original' }, signal ? { signal } : {})
  const whole = content_base64 ?? ''
  for (let at = 0; at < whole.length; at += PIECE) yield { row_kind: 'original', document_id, content_base64: whole.slice(at, at + PIECE) }
}

/**
 * Everything that a namespace holds, a line at a time: `loom import` reads it back. Memory is bounded by a page of rows,
 * and by one original.
 * @throws ClientError FORBIDDEN for who is no admin there
 */
export async function* exportNamespace(client: Client, options: ExportOptions): AsyncGenerator<ExportLine> {
  const { org, namespace, signal } = options
  const place = { ...(org !== undefined && { org }), ...(namespace !== undefined && { namespace }) }
  let rows = 0
  for (const section of EXPORT_ORDER) {
    let cursor: string | null = null
    let isFirst = true
    do {
      const page: Awaited<ReturnType<Client['namespace']['export']>> = await client.namespace.export(
        { ...place, section, limit: PAGE, ...(cursor !== null && { cursor }) },
        signal ? { signal } : {},
      )
      if (isFirst && page.count > 0) {
        yield { section, text: stringifyJson({ loom_export: EXPORT_FORM, section, ...place, exported_at: page.exported_at }), row: null }
        isFirst = false
      }
      for (const row of page.rows) {
        yield { section, text: stringifyJson(row), row }
        if (row['row_kind'] !== 'document' || row['as_given'] === true) continue
        for await (const piece of originalOf(client, row, place, signal)) yield { section, text: stringifyJson(piece), row: piece }
      }
      rows += page.count
      options.onProgress?.({ section, rows })
      cursor = page.next_cursor
    } while (cursor !== null)
  }
}
