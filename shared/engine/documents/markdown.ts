import MarkdownIt, { type Token } from 'markdown-it'
import { createHeadings, headingText, type Outline, type Part, type Range } from '../../domain/knowledge/outline.ts'
import { frontMatterLines } from '../../domain/markdown/headings.ts'

/** Blocks alone: what stands inside a paragraph is text, and only headings are read further. */
const blocks = new MarkdownIt({ html: true }).disable(['inline', 'linkify', 'replacements', 'smartquotes', 'text_join'], true)
const inline = new MarkdownIt()
/** A longer heading is no heading that anybody reads; its words stay as written. */
const LONGEST_READ = 2000

function plainHeading(written: string): string {
  if (written.length > LONGEST_READ) return headingText(written)
  const shown = (tokens: readonly Token[]): string =>
    tokens
      .map((token) =>
        token.children ? shown(token.children) : token.type === 'softbreak' ? ' ' : token.type === 'image' ? '' : token.content,
      )
      .join('')
  return headingText(shown(inline.parseInline(written, {})))
}

const SOLID = new Set(['fence', 'code_block', 'table_open', 'html_block'])

/** Where each line begins, and past the last the end of the text. */
function lineStarts(text: string): number[] {
  const starts = [0]
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length)
  starts.push(text.length)
  return starts
}

/** Headings, code and tables of a Markdown text; front matter is text before the first heading. */
export function outlineOfMarkdown(text: string): Outline {
  const starts = lineStarts(text)
  const startOf = (line: number): number => starts[Math.min(line, starts.length - 1)] ?? text.length
  const skipped = frontMatterLines(text.split(/\r\n|\n|\r/))
  const headings = createHeadings()
  const parts: Part[] = []
  const solid: Range[] = skipped > 0 ? [{ from: 0, to: startOf(skipped) }] : []
  let title = ''
  let open: Omit<Part, 'to'> = { path: [], heading: 0, from: 0, page: null }
  // Lone line ends of old files count as lines to us and not to the parser.
  const tokens = blocks.parse(text.slice(startOf(skipped)).replace(/\r(?!\n)/g, '\n'), {})
  for (const [at, token] of tokens.entries()) {
    if (token.level !== 0 || !token.map) continue
    const [first, after] = token.map
    const range = { from: startOf(first + skipped), to: startOf(after + skipped) }
    if (SOLID.has(token.type)) solid.push(range)
    if (token.type !== 'heading_open') continue
    const heading = plainHeading(tokens[at + 1]?.content ?? '')
    title ||= heading
    parts.push({ ...open, to: range.from })
    open = { path: headings.enter(Number(token.tag.slice(1)), heading), heading: range.from, from: range.to, page: null }
  }
  parts.push({ ...open, to: text.length })
  return { text, title, parts, solid, pages: null, hasLines: true }
}
