import type { LeftReason, Problem } from './found.ts'
import type { Kind, Report } from './report.ts'

/** What each count of a report means, in words. */
export const REASON_WORDS: Readonly<Record<string, string>> = {
  written: 'stored',
  'written duplicate': 'stored, and marked as the same fact in other words',
  'written conflicted': 'stored, and contradicting what is known: settle them in the review',
  'written refines': 'stored, and in place of an older fact',
  'written proposed': 'stored as a proposal',
  'written text_only': 'stored as a text: its original is not in the export',
  'held merge': 'known already, but for spelling',
  'held identity_duplicate': 'known already under another key',
  'skipped unchanged': 'imported before',
  'skipped sensitivity_kept': 'imported before, at another level of sensitivity',
  'skipped deleted': 'deleted here since',
  'skipped superseded': 'replaced here since',
  'skipped rejected': 'marked as wrong here',
  'skipped proposed': 'waiting here as a proposal',
  'skipped decided': 'a proposal that was decided here since',
  'skipped revised': 'corrected here since',
  'skipped repeated': 'twice in the file',
  'skipped unknown': 'in a state that this Loom does not know',
  'refused blacklist': 'refused by a blocked pattern',
  'refused pinned': 'refused by a pin',
  'refused locked': 'refused by a lock',
  'refused pinned_peer': 'refused: too close to a pinned memory',
}

export const LEFT_WORDS: Readonly<Record<LeftReason, string>> = {
  answer: 'answers of an assistant',
  question: 'questions',
  task: 'tasks',
  code: 'blocks of code',
  machine: 'lines that no person wrote',
  short: 'too short to state anything',
  deleted: 'deleted in the source',
  retired: 'retired in the source',
  hidden: 'hidden in the source',
  blocked: 'that a blocked pattern keeps out',
  empty: 'empty',
  reading: 'for reading only: history, parts of documents, the ledger of calls',
  not_memory: 'records and files that are no memory',
}

const count = (n: number): string => n.toLocaleString('en-US')

const MANY: Readonly<Record<Kind, string>> = {
  memory: 'memories',
  record: 'records',
  document: 'documents',
  thread: 'conversations',
  message: 'messages',
  run: 'runs',
  event: 'events of runs',
  scratch: 'values of working memory',
}

/** How many of each kind were stored, where it is not memories alone. */
export function kindsText({ written }: Pick<Report, 'written'>): string {
  const kinds = (Object.keys(MANY) as Kind[]).flatMap((kind) => (written[kind] ? [[kind, written[kind]] as const] : []))
  if (kinds.every(([kind]) => kind === 'memory')) return ''
  return kinds.map(([kind, n]) => `${MANY[kind]} ${count(n)}`).join(', ')
}

const place = ({ path, line }: Problem): string => (line === null ? path : `${path}, line ${line}`)
const MOST_FILES = 20
const MOST_PROBLEMS = 50

/** Files of which something was taken come first: an export has a note for each memory beside its rows. */
export const filesInOrder = ({ files }: Pick<Report, 'files'>): Report['files'] =>
  files.toSorted((a, b) => Number(b.found > 0) - Number(a.found > 0))

/** A report for a person. */
export function reportText(report: Report): string {
  const lines: string[] = []
  const { totals } = report
  const files = filesInOrder(report).map(({ path, format, found }) => `  ${path}: ${format}, ${count(found)} found`)
  lines.push(`Read ${count(report.file_count)} ${report.file_count === 1 ? 'file' : 'files'}`, ...files.slice(0, MOST_FILES))
  if (report.file_count > MOST_FILES) lines.push(`  and ${count(report.file_count - MOST_FILES)} more`)
  lines.push(
    '',
    report.dry_run ? `Found ${count(report.found)}. Nothing was stored; an import would come to:` : `Found ${count(report.found)}:`,
  )
  for (const [name, n] of Object.entries(report.reasons).sort(([, a], [, b]) => b - a))
    lines.push(`  ${count(n).padStart(8)}  ${REASON_WORDS[name] ?? name}`)
  const kinds = kindsText(report)
  if (kinds !== '') lines.push(`            stored: ${kinds}`)
  if (totals.written + totals.held + totals.skipped + totals.refused === 0) lines.push('  nothing')
  const left = Object.entries(report.left) as [LeftReason, number][]
  if (left.length > 0) {
    lines.push('', 'Left out')
    for (const [reason, n] of left.sort(([, a], [, b]) => b - a)) lines.push(`  ${count(n).padStart(8)}  ${LEFT_WORDS[reason]}`)
  }
  if (report.problem_count > 0) {
    lines.push('', `${count(report.problem_count)} could not be read or stored`)
    for (const one of report.problems.slice(0, MOST_PROBLEMS)) lines.push(`  ${place(one)}: ${one.message}`)
    if (report.problem_count > MOST_PROBLEMS) lines.push(`  and ${count(report.problem_count - MOST_PROBLEMS)} more`)
  }
  if (report.cancelled) lines.push('', 'Cancelled. What was stored stays, and the same import made again goes on from there.')
  return lines.join('\n')
}
