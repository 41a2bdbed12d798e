import { stringifyJson } from '../../shared/contract/json.ts'
import { EXPORT_SECTIONS, type ExportSection } from '../../shared/contract/ops/erasure/export.ts'
import type { OutputOf } from '../../shared/contract/registry.ts'

export type ErasureExport = OutputOf<'erasure.export'>

/** A piece of the file, and how far it is. */
export interface ExportPiece {
  readonly text: string
  readonly section: ExportSection
  readonly rows: number
  readonly of: number
}

const ROWS = 500

/** An export as one JSON text, a row a line, in pieces of bounded size: the whole is never in memory as text. */
export function* exportPieces(answer: ErasureExport): Generator<ExportPiece> {
  const about = Object.entries(answer).filter(([name]) => !(EXPORT_SECTIONS as readonly string[]).includes(name))
  let before = `{\n${about.map(([name, value]) => `${JSON.stringify(name)}: ${stringifyJson(value)},\n`).join('')}`
  for (const [at, section] of EXPORT_SECTIONS.entries()) {
    const { rows, truncated } = answer[section]
    before += `${JSON.stringify(section)}: {"truncated": ${truncated}, "rows": [`
    for (let from = 0; from < rows.length; from += ROWS) {
      const lines = rows.slice(from, from + ROWS).map((row) => `\n${stringifyJson(row)}`)
      const text = `${before}${from > 0 ? ',' : ''}${lines.join(',')}`
      before = ''
      yield { text, section, rows: Math.min(from + ROWS, rows.length), of: rows.length }
    }
    yield { text: `${before}\n]}${at < EXPORT_SECTIONS.length - 1 ? ',' : '\n}'}\n`, section, rows: rows.length, of: rows.length }
    before = ''
  }
}
