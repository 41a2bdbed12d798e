import { getDocumentProxy } from 'unpdf'
import { createHeadings, headingText, type Outline, type Part } from '../../domain/knowledge/outline.ts'
import { unreadable } from './refusal.ts'
import { storable } from './storable.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type OutlineItem = Awaited<ReturnType<Pdf['getOutline']>>[number]

/** Longer outlines are of no use to anybody who reads them. */
const MOST_HEADINGS = 10_000
const DEEPEST = 6

/** Page of a place in the file, from 0; null where it leads nowhere. */
async function pageOf(pdf: Pdf, item: OutlineItem): Promise<number | null> {
  try {
    const place = typeof item.dest === 'string' ? await pdf.getDestination(item.dest) : item.dest
    const page: unknown = Array.isArray(place) ? place[0] : null
    if (typeof page === 'number') return page
    return page !== null && typeof page === 'object' ? await pdf.getPageIndex(page as Parameters<Pdf['getPageIndex']>[0]) : null
  } catch {
    return null
  }
}

/** The path of headings that is in force on each page: the last one that begins on it or before. */
async function pathsByPage(pdf: Pdf): Promise<(readonly string[])[]> {
  const begin = new Map<number, readonly string[]>()
  const headings = createHeadings()
  let seen = 0
  const walk = async (items: readonly OutlineItem[], level: number): Promise<void> => {
    for (const item of items) {
      if (++seen > MOST_HEADINGS) return
      const text = headingText(storable(item.title, ''))
      const page = await pageOf(pdf, item)
      if (text !== '' && page !== null) begin.set(page, headings.enter(level, text))
      if (level < DEEPEST) await walk(item.items as readonly OutlineItem[], level + 1)
    }
  }
  try {
    await walk((await pdf.getOutline()) ?? [], 1)
  } catch {
    // An outline that is broken is none.
  }
  const paths: (readonly string[])[] = []
  let path: readonly string[] = []
  for (let page = 0; page < pdf.numPages; page++) paths.push((path = begin.get(page) ?? path))
  return paths
}

async function textOfPage(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number)
  try {
    const { items } = await page.getTextContent()
    // Fonts may name characters that are none.
    return storable(items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''), '').trim()
  } finally {
    page.cleanup()
  }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    // Nothing of the file runs: no scripts, no fonts, no pictures.
    return await getDocumentProxy(bytes, {
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      stopAtErrors: false,
      verbosity: 0,
    })
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'PasswordException') throw unreadable('is an encrypted PDF. Save it without a password, and add that.')
    throw unreadable('is not a PDF that can be read. Open it in a viewer, and save it anew.')
  }
}

async function titleOf(pdf: Pdf): Promise<string> {
  try {
    const { info } = await pdf.getMetadata()
    const title: unknown = (info as Record<string, unknown>)['Title']
    return typeof title === 'string' ? headingText(storable(title, '')) : ''
  } catch {
    return ''
  }
}

/** The text layer of a PDF, page by page, with its outline as headings. */
export async function outlineOfPdf(bytes: Uint8Array): Promise<Outline> {
  const pdf = await open(bytes)
  try {
    const paths = await pathsByPage(pdf)
    const parts: Part[] = []
    let text = ''
    for (let number = 1; number <= pdf.numPages; number++) {
      const own = await textOfPage(pdf, number)
      if (own === '') continue
      const from = text === '' ? 0 : text.length + 2
      text = text === '' ? own : `${text}\n\n${own}`
      parts.push({ path: paths[number - 1] ?? [], heading: from, from, to: text.length, page: number })
    }
    if (text === '') throw unreadable('is a PDF without text: its pages are pictures. Have its text recognised, and add that.')
    return { text, title: await titleOf(pdf), parts, solid: [], pages: pdf.numPages, hasLines: false }
  } finally {
    await pdf.destroy()
  }
}
