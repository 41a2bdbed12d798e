import { parse } from 'yaml'
import { instantOf, isFields, type Fields } from './found.ts'

/** What stands between two lines of `---` at the start of a Markdown file. */
export interface FrontMatter {
  readonly fields: Fields
  /** Why it could not be read. */
  readonly problem: string
  readonly body: string
  /** Line of the body's first line, counted from 1. */
  readonly line: number
}

const FENCE = /^---[ \t]*\r?\n([\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/
/** More is no front matter, and a parser would be long at it. */
const LONGEST = 64 * 1024
/** References that a value may be repeated by: one of a bomb is refused. */
const MOST_ALIASES = 20

export function frontMatterOf(text: string): FrontMatter {
  const found = FENCE.exec(text)
  const none = { fields: {}, problem: '', body: text, line: 1 }
  if (!found) return none
  const [whole, yaml = ''] = found
  const body = text.slice(whole.length)
  const line = whole.split('\n').length
  if (yaml.length > LONGEST) return { fields: {}, problem: 'The front matter is too long.', body, line }
  try {
    const fields: unknown = parse(yaml, { maxAliasCount: MOST_ALIASES, schema: 'core', logLevel: 'silent' })
    return { fields: isFields(fields) ? fields : {}, problem: '', body, line }
  } catch (error) {
    return {
      fields: {},
      problem: `The front matter is not YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`,
      body,
      line,
    }
  }
}

export function tagsIn(fields: Fields): string[] {
  const given = fields['tags'] ?? fields['tag']
  const list = Array.isArray(given) ? given : typeof given === 'string' ? given.split(/[,\s]+/) : []
  return list.filter((tag): tag is string => typeof tag === 'string').map((tag) => tag.replace(/^#/, ''))
}

const DATES = ['valid_at', 'created', 'created_at', 'date', 'modified', 'updated', 'updated_at'] as const

export function dateIn(fields: Fields): string | undefined {
  return DATES.map((name) => instantOf(fields[name])).find((at) => at !== undefined)
}
