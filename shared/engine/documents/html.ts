import { Parser } from 'htmlparser2'
import { createHeadings, headingText, type Outline, type Part, type Range } from '../../domain/knowledge/outline.ts'
import { unreadable } from './refusal.ts'

/** What nobody reads on the page, and what leads to other pages. */
const LEFT_OUT = new Set(['script', 'style', 'template', 'noscript', 'nav', 'svg', 'iframe', 'object', 'select', 'textarea'])
const BLOCKS = new Set(
  'address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure footer form header hr html legend li main menu ol optgroup p section summary tbody tfoot thead tr ul'.split(
    ' ',
  ),
)
/** Those that stand line by line. */
const LINES = new Set(['li', 'tr', 'dt', 'dd'])
const SOLID = new Set(['pre', 'table'])
const HEADING = /^h([1-6])$/
/** The parser looks through all open elements at each end: beyond this the time grows with the square of the depth. */
const DEEPEST = 25_000
const TOO_DEEP = `nests elements more than ${DEEPEST} deep: it is damaged, or made to be unreadable. Save it anew, or add its text instead.`

/**
 * The text of an HTML page with its headings, read in one pass without a tree: depth costs no stack. Scripts, styles
 * and navigation are left out; entities are resolved.
 * @param field that the page came in
 * @throws LoomError INVALID_ARGUMENT for elements in elements without end
 */
export function outlineOfHtml(html: string, field: 'text' | 'content_base64'): Outline {
  const pieces: string[] = []
  let length = 0
  /** White space that is owed before the next word: 0 none, 1 a space, 2 a line, 3 a blank line. */
  let owed = 0
  let skipping: { name: string; depth: number } | null = null
  let verbatim = 0
  let depth = 0
  let inTitle = false
  let title = ''
  let heading: { level: number; from: number; text: string } | null = null
  const open: { name: string; from: number }[] = []
  const solid: Range[] = []
  const parts: Part[] = []
  const headings = createHeadings()
  let part: Omit<Part, 'to'> = { path: [], heading: 0, from: 0, page: null }

  /** Line ends that the text ends with. */
  let ends = 0

  const put = (text: string): void => {
    pieces.push(text)
    length += text.length
    ends = /\n*$/.exec(text.slice(-2))?.[0].length ?? 0
  }
  const owe = (space: number): void => void (owed = Math.max(owed, space))
  const pay = (): void => {
    if (length > 0 && owed > ends) put(owed === 1 ? ' ' : '\n'.repeat(owed - 1 - ends))
    owed = 0
  }
  const endHeading = (): void => {
    if (!heading) return
    const text = headingText(heading.text)
    if (text !== '') {
      parts.push({ ...part, to: heading.from })
      part = { path: headings.enter(heading.level, text), heading: heading.from, from: length, page: null }
    }
    heading = null
    owe(3)
  }

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > DEEPEST) throw unreadable(TOO_DEEP, field)
        if (skipping) {
          if (name === skipping.name) skipping.depth++
          return
        }
        if (LEFT_OUT.has(name) || 'hidden' in attributes || attributes['role'] === 'navigation') {
          skipping = { name, depth: 1 }
          return
        }
        if (name === 'title') inTitle = true
        const level = HEADING.exec(name)?.[1]
        if (level !== undefined) {
          endHeading()
          owe(3)
          pay()
          heading = { level: Number(level), from: length, text: '' }
        } else if (SOLID.has(name)) {
          owe(3)
          pay()
          open.push({ name, from: length })
          if (name === 'pre') verbatim++
        } else if (name === 'br') {
          if (verbatim > 0) put('\n')
          else owe(2)
        } else if (name === 'td' || name === 'th') owe(1)
        else if (BLOCKS.has(name)) {
          // A heading that nobody closed ends where the text goes on.
          if (heading && heading.text.trim() !== '') endHeading()
          owe(LINES.has(name) ? 2 : 3)
        }
      },
      ontext(text) {
        if (inTitle) {
          title += text
          return
        }
        if (skipping) return
        if (verbatim > 0) {
          pay()
          put(text)
        } else {
          if (/^\s/.test(text)) owe(1)
          const words = text.trim().replace(/\s+/g, ' ')
          if (words === '') return
          pay()
          put(words)
          if (/\s$/.test(text)) owe(1)
        }
        if (heading) heading.text += text
      },
      onclosetag(name) {
        depth--
        if (name === 'title') inTitle = false
        if (skipping) {
          if (name === skipping.name && --skipping.depth === 0) skipping = null
          return
        }
        if (HEADING.test(name)) endHeading()
        else if (SOLID.has(name)) {
          const last = open.at(-1)
          if (last?.name !== name) return
          open.pop()
          if (name === 'pre') verbatim--
          if (open.length === 0) solid.push({ from: last.from, to: length })
          owe(3)
        } else if (name === 'td' || name === 'th') owe(1)
        else if (BLOCKS.has(name)) owe(LINES.has(name) ? 2 : 3)
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  )
  parser.write(html)
  parser.end()
  endHeading()
  parts.push({ ...part, to: length })
  const text = pieces.join('')
  return { text, title: headingText(title), parts, solid, pages: null, hasLines: false }
}
