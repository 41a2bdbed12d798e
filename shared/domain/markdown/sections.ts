import { slug } from '../text/slug.ts'
import { frontMatterLines, headingsOf } from './headings.ts'

/** A heading of the level asked for, with what stands under it. */
export interface Section {
  readonly heading: string
  /** Headings above it inside the file, outermost first. */
  readonly above: readonly { readonly level: number; readonly text: string }[]
  /** Line of the heading, from 1. */
  readonly line: number
  /** The heading's text, a blank line, the Markdown under it as written; of an empty section the heading alone. */
  readonly text: string
}

export interface Curated {
  readonly sections: readonly Section[]
  /** Text of the first level-1 heading, "" for none. */
  readonly title: string
  /** Characters of text outside any section; the headings above one and front matter are not text. */
  readonly unusedChars: number
}

interface Line {
  readonly text: string
  /** With its line end. */
  readonly raw: string
}

function linesOf(markdown: string): Line[] {
  const raws = markdown.replace(/^\ufeff/, '').match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []
  return raws.map((raw) => ({ raw, text: raw.replace(/[\r\n]+$/, '') }))
}

const textOf = (lines: readonly Line[]): string => lines.map((line) => line.raw).join('')

const bodyOf = (lines: readonly Line[]): string => {
  const start = lines.findIndex((line) => /\S/.test(line.text))
  return start < 0
    ? ''
    : lines
        .slice(start)
        .map((line) => line.raw)
        .join('')
        .trimEnd()
}

const lengthOf = (text: string): number => [...text.trim()].length

/** The sections of a hand-kept file, one for each heading of `level`; one ends at the next heading of its level or above (CUR002, CUR003). */
export function sectionsOf(markdown: string, level: number): Curated {
  const lines = linesOf(markdown)
  const texts = lines.map((line) => line.text)
  const headings = headingsOf(texts)
  const raw = (from: number, to: number): readonly Line[] => lines.slice(from, to)
  // Deeper headings are text like any other.
  const outline = headings.filter((heading) => heading.level <= level)
  const sections: Section[] = []
  let above: { level: number; text: string }[] = []
  let unusedChars = 0
  const count = (from: number, to: number): void => void (unusedChars += lengthOf(textOf(raw(from, to))))
  count(frontMatterLines(texts), outline[0]?.from ?? lines.length)
  for (const [at, heading] of outline.entries()) {
    const end = outline[at + 1]?.from ?? lines.length
    above = above.filter((one) => one.level < heading.level)
    if (heading.level < level) {
      count(heading.to, end)
      above.push({ level: heading.level, text: heading.text })
      continue
    }
    const body = bodyOf(raw(heading.to, end))
    const text = [heading.text, body].filter((part) => part !== '').join('\n\n')
    sections.push({ heading: heading.text, above: [...above], line: heading.from + 1, text })
  }
  return { sections, title: headings.find((heading) => heading.level === 1)?.text ?? '', unusedChars }
}

/** Lowercase hex of the hash of a text's UTF-8. */
type Sha256 = (text: string) => string

/** Name of a file in a path or a URL, without its extension. */
function fileName(path: string): string {
  const last =
    path
      .replace(/[?#].*$/, '')
      .split(/[\\/]/)
      .at(-1) ?? ''
  return last.replace(/(?<=.)\.[^.]*$/, '')
}

/** What every key of a file begins with where the call names nothing (CUR004). */
export function defaultPrefix(path: string, title: string, sha256: Sha256): string {
  const name = fileName(path)
  if (name !== '') return slug(name, sha256)
  return title === '' ? 'curated' : slug(title, sha256)
}

/** A key for each section: the prefix, the slugs of the headings above it (titles left out) and its own; equal ones are numbered. */
export function sectionKeys(sections: readonly Section[], prefix: string, sha256: Sha256): string[] {
  const taken = new Set<string>()
  return sections.map(({ heading, above }) => {
    const path = [...above.filter((one) => one.level > 1).map((one) => one.text), heading]
    const base = [prefix, ...path.map((text) => slug(text, sha256))].join('/')
    let key = base
    for (let number = 2; taken.has(key); number++) key = `${base}-${number}`
    taken.add(key)
    return key
  })
}
