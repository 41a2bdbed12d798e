import { locale } from '../../state/locale.ts'
import { count, shortDate } from '../../text/when.ts'
import type { StatusFilter } from '../../data/filter.ts'

const memories = (amount: number): string => `${count(amount, locale)} ${amount === 1 ? 'memory' : 'memories'}`
const results = (amount: number): string => `${count(amount, locale)} ${amount === 1 ? 'result' : 'results'}`

export const SEARCH = {
  placeholder: 'Search by meaning or by words',
}

export const FILTERS = {
  label: 'Filters',
  pane: 'Memories',
  everywhere: 'Everywhere',
  everywhereHint: 'while searching',
  namespace: 'Namespace',
  anyType: 'Any type',
  type: 'Type',
  status: 'Status',
  anyTag: 'Any tag',
  tag: (tag: string) => `Tag: ${tag}`,
  tagField: 'Tag',
  tagPlaceholder: 'A tag',
  tagsHere: 'In this list',
  clear: 'Clear filters',
  statuses: {
    current: 'Current',
    conflicted: 'In conflict',
    duplicate: 'Duplicates',
    superseded: 'Replaced',
    tombstoned: 'Deleted',
    waiting: 'Waiting to be sent',
  } satisfies Record<StatusFilter, string>,
}

interface Shown {
  readonly total: number
  readonly ranked: boolean
  readonly hasMore: boolean
  readonly degraded: readonly string[]
  readonly shown: { readonly status: StatusFilter; readonly query: string } | null
}

/** The line above the rows: how many, and how they were found. */
function meta({ total, ranked, hasMore, degraded, shown }: Shown): string {
  if (!shown?.query) return shown?.status === 'tombstoned' ? `${count(total, locale)} deleted` : memories(total)
  if (!total) return 'No result'
  const more = ranked && hasMore ? ' and more' : ''
  return `${results(total)}${more}, ${ranked && !degraded.includes('embedder') ? 'by meaning and words' : 'by words'}`
}

export const LIST = {
  label: 'Memories',
  meta,
  opening: 'Opening…',
  order: { ranked: 'Best match', newest: 'Newest' },
  wordsOnly: 'Searching by words while the meaning model loads.',
  wordsOnlyForGood: 'Searching by words: there is no meaning model.',
  changed: 'Changed · show newest',
  stopped: 'The list could not be read again. This was right at',
  tryAgain: 'Try again',
  now: 'now',
  by: (name: string) => `by ${name}`,
  recalled: (times: number) => (times === 1 ? 'recalled once' : `recalled ${count(times, locale)} times`),
  withheld: 'Sensitive: open it to read it',
  until: (iso: string) => `can be restored until ${shortDate(iso, new Date(), locale)}`,
  gone: 'can no longer be restored',
  nothingNear: 'Nothing near this',
  looked: (amount: number, namespace: string) => `${memories(amount)} in ${namespace} ${amount === 1 ? 'was' : 'were'} looked at.`,
  lookedEverywhere: 'All namespaces were looked at.',
  filtersHide: 'The filters may hide it.',
  searchEverywhere: 'Search everywhere',
  writeItDown: 'Write it down',
  clearFilters: 'Clear filters',
  noneHere: 'Nothing with these filters',
  noneDeleted: 'Nothing deleted',
  noneDeletedNext: 'What you retire stays here for 14 days and can be restored.',
  showCurrent: 'Show current memories',
  empty: 'Nothing remembered yet',
  emptyNext: 'Memories appear here as your agents write them, or when you do.',
  writeOne: 'Write one',
  writeOneHow: 'In a sentence, as you would say it.',
  write: 'Write',
  connectApp: 'Connect an app',
  connectAppHow: (found: number) =>
    found === 0
      ? 'Or any that speaks MCP.'
      : found === 1
        ? 'One was found on this computer.'
        : `${count(found, locale)} were found on this computer.`,
  connect: 'Connect',
  lookAround: 'Look around',
  lookAroundHow: 'Twelve samples, removable.',
  addSamples: 'Add samples',
  samplesHere: (amount: number) => (amount === 1 ? 'One sample memory is here.' : `${count(amount, locale)} sample memories are here.`),
  takeOut: 'Take them out',
  takenOut: (amount: number) => `${count(amount, locale)} samples are taken out. Your own memories stay.`,
  backIn: 'Undone: the samples are back.',
  badges: {
    conflict: 'Conflict',
    pinned: 'Pinned',
    locked: 'Locked',
    waiting: 'Waiting',
    duplicate: 'Duplicate',
    superseded: 'Replaced',
    deleted: 'Deleted',
    rejected: 'Rejected',
    proposed: 'Proposed',
  },
}

export const ANSWER = {
  ask: 'Answer this from memory',
  label: 'Answer',
  asking: 'Reading…',
  failed: 'No answer could be made.',
  again: 'Ask again',
  sources: 'Where it stands',
  disagree: 'These disagree:',
  close: 'Close the answer',
}

export const READER = {
  label: 'Memory',
  back: (where: string) => where,
  none: 'Choose a memory',
  noneNext: 'Its value, where it comes from and all its versions will stand here.',
  edit: 'Edit',
  pin: 'Pin',
  unpin: 'Unpin',
  retire: 'Delete',
  restore: 'Restore',
  copyKey: 'Copy key',
  copied: 'Copied',
  show: 'Show the value',
  sensitive: 'Sensitive: kept out of every search, and shown only when you ask.',
  replaced: 'Replaced by a newer memory',
  duplicateOf: 'Says the same as',
  openOther: 'Open that one',
  another: 'another memory',
  retired: (iso: string | null) => (iso ? `Retired on ${shortDate(iso, new Date(), locale)}.` : 'Retired.'),
  restorable: (iso: string) => `It can be restored until ${shortDate(iso, new Date(), locale)}.`,
  notRestorable: 'It can no longer be restored; its versions stay.',
  expired: 'Its time is over; its versions stay.',
  notFound: 'This memory is gone',
  notFoundNext: 'It was erased, or it was never here.',
  failed: 'This memory cannot be read',
  restFailed: 'The rest of it cannot be read now.',
  waiting: 'Waits to be sent to the team. Until its server answers, the verdict is of this computer alone.',
  locked: (by: string, reason: string) => `Locked by ${by}${reason ? `: ${reason}` : '.'}`,
  versions: 'Versions',
  details: 'Details',
  firstWritten: 'First written',
  scrubbed: 'Content scrubbed',
  sameText: (changed: string) => `Same text; ${changed} changed`,
  olderVersions: 'Older versions are not shown.',
  never: 'never',
}

export const AROUND = {
  related: 'Related',
  leading: 'Leads here',
  evidence: (amount: number) => (amount === 1 ? 'One source speaks for it.' : `${count(amount, locale)} sources speak for it.`),
  digests: (amount: number) => (amount === 1 ? 'Named in one digest.' : `Named in ${count(amount, locale)} digests.`),
}

export const CONFLICT = {
  title: (amount: number) => (amount === 1 ? 'Conflicts with another memory' : `Conflicts with ${count(amount, locale)} memories`),
  looking: 'Conflicts with another memory',
  lookingNext: 'Looking for it…',
  settled: 'It was stored in conflict; what it stood against is no longer current.',
  here: 'Here',
  failed: 'What it conflicts with cannot be read now.',
  keepThis: 'Keep this one',
  keepOther: 'Keep the other',
  keepBoth: 'Keep both',
  merge: 'Write a new one…',
  consequence: 'The one you do not keep is retired, and can be restored for 14 days.',
}

/** Where a memory was shown, in the words of a person: several operations are one word. */
const SHOWN: readonly (readonly [word: (times: number) => string, ops: readonly string[]])[] = [
  [(times) => (times === 1 ? 'search' : 'searches'), ['memory.search', 'search']],
  [(times) => (times === 1 ? 'answer' : 'answers'), ['memory.ask']],
  [(times) => (times === 1 ? 'bundle' : 'bundles'), ['context.pack']],
  [(times) => (times === 1 ? 'look at a file' : 'looks at files'), ['memory.for_file']],
  [(times) => (times === 1 ? 'reading' : 'readings'), ['memory.get', 'memory.get_by_id']],
]

/** "12 searches, 1 answer"; "" where it was never shown. */
function shownBy(breakdown: Readonly<Record<string, number>>): string {
  return SHOWN.flatMap(([word, ops]) => {
    const times = ops.reduce((sum, op) => sum + (breakdown[op] ?? 0), 0)
    return times > 0 ? [`${count(times, locale)} ${word(times)}`] : []
  }).join(', ')
}

export const DETAILS = {
  type: 'Type',
  status: 'Status',
  verdict: 'Verdict',
  confidence: 'Confidence',
  since: 'True since',
  until: 'True until',
  expires: 'Expires',
  writtenBy: 'Written by',
  agent: 'Agent',
  source: 'Source',
  tags: 'Tags',
  entities: 'Entities',
  files: 'Files',
  recalled: 'Recalled',
  shown: 'Shown',
  shownBy,
  created: 'First written',
  changed: 'Changed',
  sensitivity: 'Sensitivity',
  version: 'Version',
  id: 'Id',
  neverRecalled: 'never',
  recalledLast: (times: number, last: string) => `${count(times, locale)} ${times === 1 ? 'time' : 'times'}, last ${last}`,
}

export const DONE = {
  retired: (until: string | null) =>
    until ? `is retired. It can be restored until ${shortDate(until, new Date(), locale)}.` : 'is retired.',
  retireMissed: 'was gone already.',
  restored: 'is back.',
  restoredInConflict: 'is back, and stands in conflict with another memory.',
  notRestored: {
    '': 'could not be restored.',
    not_found: 'is not there any more.',
    too_old: 'was retired over 14 days ago and cannot be restored.',
    live: 'is there already.',
  },
  pinned: 'is pinned: later writes cannot replace it.',
  unpinned: 'is no longer pinned.',
  undone: (key: string) => `Undone: ${key} is as it was.`,
}
