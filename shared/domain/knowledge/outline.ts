/** A document as its parser leaves it: one text, and where its parts lie in it. Places count UTF-16 units from 0. */

export interface Range {
  readonly from: number
  readonly to: number
}

/** A heading with what stands under it, up to the next heading of any level. */
export interface Part extends Range {
  /** Headings above, outermost first, its own last; empty before the first heading. */
  readonly path: readonly string[]
  /** Where its heading begins; as `from` where it has none. */
  readonly heading: number
  /** From 1, of a PDF. */
  readonly page: number | null
}

export interface Outline {
  readonly text: string
  /** Title that the document gives itself, "" for none. */
  readonly title: string
  readonly parts: readonly Part[]
  /** Code and tables: cut at lines only. In order. */
  readonly solid: readonly Range[]
  readonly pages: number | null
  /** Its lines are those of the file given. */
  readonly hasLines: boolean
}

/** Keeps the path of headings while a document is read. */
export function createHeadings(): { enter(level: number, text: string): readonly string[] } {
  let open: { level: number; text: string }[] = []
  return {
    enter(level, text) {
      open = [...open.filter((one) => one.level < level), { level, text }]
      return open.map((one) => one.text)
    },
  }
}

/** Longest heading that is kept, in UTF-16 units. */
const LONGEST_HEADING = 300

/** A heading in one line; "" stays "". */
export function headingText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= LONGEST_HEADING ? line : line.slice(0, LONGEST_HEADING).replace(/[\ud800-\udbff]$/, '')
}
