/** Where the headings of a Markdown text are: CommonMark's, in both spellings, with front matter, code and HTML left aside. */

interface Heading {
  /** 1 to 6. */
  readonly level: number
  /** As written, without the signs that make it a heading. */
  readonly text: string
  /** First line of the heading, and the line after its last; from 0. */
  readonly from: number
  readonly to: number
}

const BLANK = /^\s*$/
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/
const CONTAINER = /^ {0,3}(?:>|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/
const INDENTED = /^(?: {4}| {0,3}\t)/
const RAW = /^ {0,3}<(script|pre|style|textarea)(?:[\s>]|$)/i
const BLOCK =
  /^ {0,3}<\/?(?:address|article|aside|blockquote|body|center|details|dialog|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|li|link|main|menu|nav|ol|optgroup|option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?:[\s/>]|$)/i

/** How an HTML block that a line begins ends: at the line that says so, or (null) before a blank one. */
function htmlEnd(line: string): RegExp | null | undefined {
  if (/^ {0,3}<!--/.test(line)) return /-->/
  const raw = RAW.exec(line)
  if (raw) return new RegExp(`</${raw[1]}>`, 'i')
  return BLOCK.test(line) ? null : undefined
}

/** Lines of the front matter at the head of a file, its fences included; 0 when there is none. */
export function frontMatterLines(lines: readonly string[]): number {
  if (!/^---[ \t]*$/.test(lines[0] ?? '')) return 0
  const end = lineFrom(lines, 1, (line) => /^(?:---|\.\.\.)[ \t]*$/.test(line))
  return end === lines.length ? 0 : end + 1
}

/** A heading may end in signs as it began: "## A ##". */
function withoutClosing(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '#') end--
  return end === 0 || /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text
}

/** The first line from `at` on that is `such`, or one past the last. */
function lineFrom(lines: readonly string[], at: number, such: (line: string) => boolean): number {
  let line = at
  while (line < lines.length && !such(lines[line] ?? '')) line++
  return line
}

/** Line after a block of code or HTML that begins here, or null. */
function endOfBlock(lines: readonly string[], at: number): number | null {
  const line = lines[at] ?? ''
  const fence = FENCE.exec(line)?.[1]
  if (fence !== undefined) {
    const closes = new RegExp(`^ {0,3}${fence[0] === '~' ? '~' : '`'}{${fence.length},}[ \\t]*$`)
    return lineFrom(lines, at + 1, (other) => closes.test(other)) + 1
  }
  const ends = htmlEnd(line)
  if (ends === undefined) return null
  return lineFrom(lines, at, (other) => (ends === null ? BLANK : ends).test(other)) + 1
}

/** The headings of lines without their ends, in order. */
export function headingsOf(lines: readonly string[]): Heading[] {
  const found: Heading[] = []
  /** First line of the paragraph that is open; null: none is. */
  let open: number | null = null
  /** The paragraph is of a list or a quotation, which an underline does not reach. */
  let isInside = false
  let at = frontMatterLines(lines)
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const after = endOfBlock(lines, at)
    const atx = ATX.exec(line)
    const underline = UNDERLINE.exec(line)
    if (after !== null) {
      ;[open, isInside, at] = [null, false, after]
      continue
    }
    if (BLANK.test(line)) [open, isInside] = [null, false]
    else if (atx) {
      found.push({ level: atx[1]?.length ?? 1, text: withoutClosing((atx[2] ?? '').trim()), from: at, to: at + 1 })
      ;[open, isInside] = [null, false]
    } else if (underline && open !== null && !isInside) {
      const text = lines
        .slice(open, at)
        .map((one) => one.trim())
        .join('\n')
      found.push({ level: underline[1]?.startsWith('=') ? 1 : 2, text: text.replaceAll('\n', ' '), from: open, to: at + 1 })
      open = null
    } else if (RULE.test(line)) [open, isInside] = [null, false]
    else if (CONTAINER.test(line)) [open, isInside] = [at, true]
    else if (open === null && !INDENTED.test(line)) open = at
    at++
  }
  return found
}
