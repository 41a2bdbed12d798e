import type { ConflictVerdict, MemoryType, SourceClass, Status } from '../../shared/contract/common.ts'

/** What the engine says in enumerations, in the words of a person. */

/** Confidence in words; the number belongs into a tooltip. Bounds of the design: 0.85 and 0.6. */
export function sureness(confidence: number): 'Sure' | 'Fairly sure' | 'Unsure' {
  if (confidence >= 0.85) return 'Sure'
  return confidence >= 0.6 ? 'Fairly sure' : 'Unsure'
}

/** How sure the judge was of a pair; where an install asks for more certainty than usual, what it calls unsure is unsure. */
export const pairSureness = (pair: { confidence: number | null; unsure: boolean }): ReturnType<typeof sureness> | '' =>
  pair.unsure ? 'Unsure' : pair.confidence === null ? '' : sureness(pair.confidence)

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  active: 'Active',
  conflicted: 'In conflict',
  duplicate: 'Duplicate',
  superseded: 'Replaced',
  rejected: 'Rejected',
  proposed: 'Proposed',
  redirect: 'Moved',
  tombstoned: 'Retired',
}

export const VERDICT_WORDS: Readonly<Record<ConflictVerdict, string>> = {
  clear: 'Clear: nothing stood against it',
  merge: 'Merged: the same words were held already',
  duplicate: 'Duplicate: the same fact in other words',
  conflict: 'Conflict: another memory says otherwise',
  rejected: 'Rejected: too close to a pinned memory',
  '': 'Not checked',
}

export const TYPE_WORDS: Readonly<Record<MemoryType, string>> = {
  semantic: 'Fact',
  episodic: 'Event',
  profile: 'Profile',
  procedural: 'Procedure',
}

const SOURCE_WORDS: Readonly<Record<SourceClass, string>> = {
  user: 'a person',
  agent: 'an agent',
  system: 'Loom itself',
  external: 'from an outside source',
  imported: 'imported',
  derived: 'derived from other memories',
}

interface Provenance {
  readonly actor: string
  readonly agent: string
  readonly source_class: SourceClass
  readonly source_trace: string
  readonly source_resource_id: string
  readonly run_id: string
}

/** `process:ops-bot` is ops-bot to people. */
export const actorName = (actor: string): string => actor.replace(/^(?:human|process|worker):/, '')

const isNamed = (agent: string): boolean => agent !== '' && agent !== 'default' && agent !== '-'

/** Who wrote it: "you" for the person at this window. */
export function writerName(row: { actor: string; agent: string }, you: string): string {
  if (isNamed(row.agent)) return row.agent
  if (row.actor === you) return 'you'
  return actorName(row.actor) || 'someone unknown'
}

/** "Written by ops-bot, an agent, from docs/deploy.md." One sentence, as far as the row knows. */
export function provenanceSentence(row: Provenance, you: string): string {
  const source = row.source_resource_id ? `, from ${row.source_resource_id}` : ''
  const trace = row.source_trace ? ` (${row.source_trace})` : ''
  const run = row.run_id ? `, in run ${row.run_id}` : ''
  return `Written by ${writerInFull(row, you)}${source}${trace}${run}.`
}

function writerInFull(row: Provenance, you: string): string {
  const agent = isNamed(row.agent) ? row.agent : ''
  const actor = row.actor === you ? 'you' : actorName(row.actor) || 'someone unknown'
  if (row.source_class === 'user') return agent && agent !== actor ? `${actor}, as ${agent}` : actor
  return `${agent || actor}, ${SOURCE_WORDS[row.source_class]}`
}

const OPERATION_WORDS: Readonly<Record<string, string>> = {
  'memory.set': 'Written',
  'memory.update': 'Revised',
  'memory.pin': 'Pinned',
  'memory.delete': 'Retired',
  'memory.restore': 'Restored',
  'memory.redact': 'Content scrubbed',
  sync: 'Settled on sync',
}

export const operationWords = (op: string): string => OPERATION_WORDS[op] ?? op

const listOf = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

const parted = (names: string): string => listOf(names.split(', '))

const REASONS: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^words: (.+)$/s, (names) => `matches ${parted(names)}`],
  [/^meaning ([\d.]+)$/, (similarity) => (Number(similarity) >= 0.6 ? 'similar meaning' : 'related meaning')],
  [/^key: (.+)$/s, (names) => `its key has ${parted(names)}`],
  [/^entity: (.+)$/s, (name) => `is about ${name}`],
  [/^tag: (.+)$/s, (name) => `tagged ${name}`],
]

/** One reason in plain words; the number of "meaning 0.71" is for the tooltip. */
export function reasonWords(why: string): { text: string; exact: string } {
  for (const [pattern, words] of REASONS) {
    const found = pattern.exec(why)?.[1]
    if (found !== undefined) return { text: words(found), exact: why.startsWith('meaning ') ? why : '' }
  }
  return { text: why, exact: '' }
}

const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

/** Why a hit was found, as one line: "matches deploy and friday; similar meaning; confirmed twice". The numbers are for a tooltip. */
export function foundBecause(why: readonly string[], confirmed: number): string {
  return [...why.map((reason) => reasonWords(reason).text), ...(confirmed > 0 ? [`confirmed ${times(confirmed)}`] : [])].join('; ')
}

const RELATED: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^links to: (.+)$/, (relation) => `linked to: ${relation.replaceAll('_', ' ')}`],
  [/^linked from: (.+)$/, (relation) => `linked from there: ${relation.replaceAll('_', ' ')}`],
  [/^triple: (.+)$/s, (triple) => triple],
  [/^entity: (.+)$/s, (names) => `also about ${parted(names)}`],
  [/^meaning [\d.]+$/, () => 'similar meaning'],
  [/^key: (.+)$/s, (prefix) => `also under ${prefix}`],
]

/** Why a memory is shown beside another. */
export function relatedBecause(why: readonly string[]): string {
  return why
    .map((reason) => {
      const known = RELATED.find(([pattern]) => pattern.test(reason))
      return known ? known[1](known[0].exec(reason)?.[1] ?? '') : reason
    })
    .join('; ')
}
