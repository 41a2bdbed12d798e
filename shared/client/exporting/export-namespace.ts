import type { Client } from '../create-client.ts'
import { stringifyJson } from '../../contract/json.ts'
import { EXPORT_ORDER } from '../../contract/export-order.ts'
import type { ExportSection } from '../../contract/ops/namespace/export.ts'

export interface ExportOptions {
  readonly org?: string
  readonly namespace?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly section: ExportSection; readonly rows: number }) => void
}

/** One row of an export, or the line that stands before those of a section. */
export interface ExportLine {
  readonly section: ExportSection
  /** JSON, without the end of the line. */
  readonly text: string
  /** Null for the line before the rows. */
  readonly row: Readonly<Record<string, unknown>> | null
}

const PAGE = 1000

/**
 * Everything that a namespace holds, a line at a time: `loom import` reads it back. Memory is bounded by a page of rows.
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
        yield { section, text: stringifyJson({ loom_export: 1, section, ...place, exported_at: page.exported_at }), row: null }
        isFirst = false
      }
      for (const row of page.rows) yield { section, text: stringifyJson(row), row }
      rows += page.count
      options.onProgress?.({ section, rows })
      cursor = page.next_cursor
    } while (cursor !== null)
  }
}
