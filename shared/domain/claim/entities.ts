/** Named things that a claim speaks of, found by fixed rules where its writer named none. */

const MOST_ENTITIES = 16
const SCANNED = 4000
const LONGEST = 64

/** "rate limiter", 'rate limiter', `rate limiter`, «rate limiter», 「rate limiter」: one to five words. */
const QUOTED =
  /"([^"\n]{2,64})"|“([^”\n]{2,64})”|`([^`\n]{2,64})`|«([^»\n]{2,64})»|「([^」\n]{2,64})」|(?<![\p{L}\p{N}])'([^'\n]{2,64})'(?![\p{L}\p{N}])/gu
/** snake_case, kebab-9, camelCase, PascalCase, dotted.names, v-less codes such as ERR-42 and ACL2. */
const IDENTIFIER =
  /(?<![\p{L}\p{N}_@/.-])(?:[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}|[A-Z]{2,}[0-9]*(?:-[0-9]+)?|[A-Za-z]+-[0-9]+)(?![\p{L}\p{N}_@/])/gu
/** Capitalised words in a row, small joining words between them: "Ada", "New York", "Bank of England". */
const NAME =
  /(?<![\p{L}\p{N}_@/.-])\p{Lu}[\p{L}\p{M}\p{N}'’-]*(?:\s+(?:(?:of|de|la|van|von|der|den|du|da)\s+)?\p{Lu}[\p{L}\p{M}\p{N}'’-]*)*/gu

/** Words that a sentence starts with, or that are capitalised by habit, and that name nothing. */
const NO_NAMES = new Set(
  (
    'a an the this that these those it its he she they we you i my our your their his her there here what which who whom whose when where why how ' +
    'if and or but so because while after before since until unless although though as at by for from in into of on onto to with without ' +
    'all any both each every few many most no none not one only other some such ' +
    'do does did is are was were be been being has have had can could may might must shall should will would never always usually often ' +
    'please use run set make keep add remove send call ask check see note todo yes ok ' +
    'monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april may june july august september october november december ' +
    'today tomorrow yesterday i’m i’ve i’ll'
  ).split(' '),
)

function startsSentence(text: string, at: number): boolean {
  const before = text.slice(0, at).trimEnd()
  return before === '' || /[.!?:;\n•*-]$/u.test(before)
}

/**
 * A name without the small words around it; null when nothing is left. A word that starts a sentence and is joined to
 * the next ("Deploys of Helios") is capitalised for the sentence's sake.
 */
function trimmed(name: string, starts: boolean): string | null {
  const words = name.replace(/['’]s$/u, '').split(/\s+/)
  if (starts && /^\p{Ll}/u.test(words[1] ?? '')) words.splice(0, 2)
  while (words.length > 0 && NO_NAMES.has((words[0] ?? '').toLowerCase())) words.shift()
  while (words.length > 0 && NO_NAMES.has((words.at(-1) ?? '').toLowerCase())) words.pop()
  return words.length === 0 ? null : words.join(' ')
}

/**
 * Quoted terms, identifiers and capitalised names, in lower case, each once, at most 16. A single capitalised word at
 * the start of a sentence counts only when the text has it elsewhere too, for there every word is capitalised.
 */
export function extractEntities(claim: string): string[] {
  const text = claim.slice(0, SCANNED).normalize('NFC')
  const found = new Map<string, number>()
  const add = (name: string | null, at: number): void => {
    const lower = (name ?? '').trim().replace(/\s+/gu, ' ').toLowerCase()
    if (lower.length >= 2 && lower.length <= LONGEST && /\p{L}/u.test(lower) && !NO_NAMES.has(lower) && !found.has(lower))
      found.set(lower, at)
  }
  for (const match of text.matchAll(QUOTED)) {
    const quoted = match.slice(1).find((part) => part !== undefined) ?? ''
    if (quoted.trim().split(/\s+/u).length <= 5) add(quoted.replace(/[.,;:!?]+$/u, ''), match.index)
  }
  for (const match of text.matchAll(IDENTIFIER)) add(match[0], match.index)
  for (const match of text.matchAll(NAME)) {
    const name = trimmed(match[0], startsSentence(text, match.index))
    if (name === null) continue
    const at = match.index + match[0].indexOf(name)
    if (!/\s/u.test(name) && startsSentence(text, at) && text.split(name).length <= 2) continue
    add(name, at)
  }
  return [...found.entries()]
    .sort((a, b) => a[1] - b[1])
    .slice(0, MOST_ENTITIES)
    .map(([name]) => name)
}
