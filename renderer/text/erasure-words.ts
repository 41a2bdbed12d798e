import { erasureWaitMinutes } from '../../shared/contract/erasure.ts'
import { count } from './when.ts'

/** An erasure in words: what a census counted, its steps, and why one stopped. */

/** The lines of a count, each with the stores it sums up. What no line names is summed up in the last. */
const LINES: readonly (readonly [name: string, stores: readonly string[]])[] = [
  ['Memories', ['pg:memory']],
  ['Versions', ['pg:memory_version']],
  ['Links and pairs', ['pg:memory_link', 'pg:memory_relation', 'pg:memory_pair', 'pg:memory_category']],
  ['Vectors', ['pg:memory_embedding', 'pg:knowledge_embedding', 'pg:conversation_embedding']],
  ['Search text', ['pg:memory_chunk', 'pg:memory_lexical', 'index.hot']],
  ['Conversations', ['pg:conversation_thread']],
  ['Messages', ['pg:conversation_message', 'pg:extract_queue']],
  ['Documents', ['pg:knowledge_document', 'pg:knowledge_chunk']],
  ['Originals', ['objects.document_originals']],
  ['Runs and requests', ['pg:run', 'pg:run_event']],
  ['Records', ['pg:memory_record', 'pg:memory_record_version']],
  ['Everything else', []],
]

export interface CountLine {
  readonly name: string
  readonly amount: number
}

/** A census in a dozen lines; together they are its sum. */
export function countLines(counts: Readonly<Record<string, number>>): CountLine[] {
  const named = new Set(LINES.flatMap(([, stores]) => stores))
  const rest = Object.keys(counts).filter((key) => !named.has(key))
  return LINES.map(([name, stores]) => ({
    name,
    amount: (stores.length === 0 ? rest : stores).reduce((sum, key) => sum + (counts[key] ?? 0), 0),
  }))
}

/** The steps in the order in which they run. */
const STEPS: readonly (readonly [step: string, name: string])[] = [
  ['fence.scope', 'Fence up, late changes refused'],
  ['delete.outbox', 'Webhooks waiting to go out'],
  ['delete.memory', 'Memories and versions'],
  ['delete.embeddings', 'Vectors and search text'],
  ['delete.relations', 'Links and pairs'],
  ['delete.records', 'Records'],
  ['delete.knowledge', 'Documents'],
  ['delete.blobs', 'Originals'],
  ['delete.conversations', 'Conversations'],
  ['delete.working_memory', 'Working memory'],
  ['delete.runs', 'Runs'],
  ['delete.snapshots', 'Snapshots'],
  ['delete.sync', 'Change log'],
  ['delete.tokens', 'Tokens and pairing codes'],
  ['scrub.audit', 'Names in the audit trail'],
  ['clear.caches', 'Caches'],
  ['external.erasers', 'Systems outside Loom'],
  ['purge.vacuum', 'Disk space, old backups'],
  ['verify.residue', 'Count what is left'],
]
export const STEP_COUNT = STEPS.length

export interface StepLine {
  readonly step: string
  readonly name: string
  readonly state: 'done' | 'now' | 'next'
  /** Nothing of the kind is in the scope, or was asked for. */
  readonly isIdle: boolean
}

const idle = (step: string, isOfPerson: boolean, purge: boolean): boolean =>
  step === 'delete.snapshots'
    ? isOfPerson
    : step === 'delete.tokens'
      ? !isOfPerson
      : (step === 'scrub.audit' || step === 'purge.vacuum') && !purge

/** @param done how many are finished; they run one after the other */
export function stepLines(
  done: number,
  { scope_type, purge }: { readonly scope_type: string | null; readonly purge: boolean },
): StepLine[] {
  return STEPS.map(([step, name], at) => ({
    step,
    name,
    state: at < done ? 'done' : at === done ? 'now' : 'next',
    isIdle: idle(step, scope_type === 'user_id', purge),
  }))
}

const REASON = /^(max_attempts \(\d+\) exceeded(?:; last: )?)?(?:([a-z]+\.[a-z_]+): )?([^]*)$/
const RESIDUE = /^ErasureResidueError: residue after erasure: ([^]*)$/

export interface Failure {
  /** The step it stopped at, as the list of steps names it; "" outside one. */
  readonly step: string
  readonly why: string
  /** It is not tried again by itself. */
  readonly isGivenUp: boolean
}

/** `pg:memory=2, backups=1` as people say it. */
function leftWords(listed: string, locale: string): string {
  const left = Object.fromEntries(
    listed.split(', ').flatMap((one) => {
      const at = one.lastIndexOf('=')
      return at < 0 ? [] : [[one.slice(0, at), Number(one.slice(at + 1))]]
    }),
  )
  return countLines(left)
    .filter((line) => line.amount > 0)
    .map((line) => `${line.name.toLowerCase()} (${count(line.amount, locale)})`)
    .join(', ')
}

function whyOf(error: string, locale: string): string {
  const residue = RESIDUE.exec(error)
  if (residue?.[1] !== undefined) return `something was left when it was counted: ${leftWords(residue[1], locale)}.`
  const [, code, message] = /^([A-Z_]+): ([^]+)$/.exec(error) ?? []
  if (code === 'STORAGE_FULL') return 'the disk is full. Free as much as the largest table takes.'
  if (message !== undefined) return message.endsWith('.') ? message : `${message}.`
  if (error === '' || error.includes(' ')) return 'the log of the host has the cause.'
  return `it met a fault (${error}); the log of the host has the cause.`
}

/** Why an erasure stopped, from the reason that it gives. */
export function failureOf(reason: string, locale: string): Failure {
  const [, gaveUp, step = '', error = ''] = REASON.exec(reason) ?? []
  const name = STEPS.find(([known]) => known === step)?.[1] ?? step
  return { step: name, why: whyOf(error, locale), isGivenUp: gaveUp !== undefined }
}

const MINUTE = 60_000

/** When an erasure that failed is tried again by itself. */
export function nextTry(failedAt: string, attempts: number): string {
  return new Date(Date.parse(failedAt) + erasureWaitMinutes(attempts) * MINUTE).toISOString()
}

/** What an erasure is about. */
export interface ScopeOf {
  readonly scope_type: string | null
  readonly scope_value: string | null
}

/** The names in a scope of several namespaces. */
export function namesIn(value: string): string[] {
  try {
    const read = JSON.parse(value) as unknown
    const names = Array.isArray(read) ? read : (read as { namespaces?: unknown } | null)?.namespaces
    return Array.isArray(names) ? names.map(String) : [value]
  } catch {
    return [value]
  }
}

const SHOWN = 3

/** `u-58`, `chat`, or `a, b, c and 2 more`: what a person knows it by. */
export function scopeName({ scope_type, scope_value }: ScopeOf, locale: string): string {
  const value = scope_value ?? ''
  if (scope_type !== 'namespace_list') return value
  const names = namesIn(value)
  const more = names.length - SHOWN
  return more > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${count(more, locale)} more` : names.join(', ')
}
