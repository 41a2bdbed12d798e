/** Tables as comma-separated values (RFC 4180), for spreadsheets. */

export type Cell = string | number | boolean | null

/** A spreadsheet takes a text that begins so for a formula, and runs it. */
const FORMULA = /^[=+\-@\t\r]/

function written(cell: Cell): string {
  if (cell === null) return ''
  const text = typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : String(cell)
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line of a table, its end included. A text that a spreadsheet would run gets an apostrophe before it. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(written).join(',')}\r\n`

/** Begins a file: some spreadsheets take it for Latin-1 otherwise. */
export const BYTE_ORDER_MARK = '\ufeff'
