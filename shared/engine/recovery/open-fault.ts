import { isLoomError, LoomError } from '../../contract/errors.ts'
import type { OpenFault } from '../../contract/recovery.ts'
import { LOOM_VERSION } from '../../contract/version.ts'
import { storeError } from '../db/store-error.ts'

/** Faults of the machine around the database, which mending the database does not mend. */
const AROUND = new Set(['EACCES', 'EPERM', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'EBUSY'])
const BAD_PAGE = /invalid page|checksum|page verification failed/i

const codeOf = (error: unknown): string => (typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '')

function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let at = error; at !== undefined && at !== null && chain.length < 8; at = at instanceof Error ? at.cause : undefined) chain.push(at)
  return chain
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  if (code === 'XX001' && BAD_PAGE.test(text)) return 'A page of it does not match its checksum.'
  if (code.startsWith('XX0')) return 'Something in it contradicts itself.'
  if (code === 'EIO' || code === '58030') return 'The disk cannot read a file of it.'
  if (code === 'ENOENT' || code === '58P01') return 'A file of it is missing.'
  return 'Postgres cannot start on its files: one of them is damaged, cut short or missing.'
}

/**
 * What keeps a database from being opened, where that is the database itself: then there is a way on by a backup. Null
 * for a full disk, a lack of rights, and every other fault around it.
 * @param stage at the start Postgres gives its reasons to nobody; later on every fault of its files has a code
 */
export function openFault(error: unknown, stage: 'start' | 'later', at: Date): OpenFault | null {
  const detail = causes(error)
    .map((cause) => (cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)))
    .join('\n')
    .slice(0, 4000)
  const told = (kind: OpenFault['kind'], sentence: string): OpenFault => ({
    kind,
    sentence,
    detail,
    at: at.toISOString(),
    app_version: LOOM_VERSION,
  })
  if (isLoomError(error)) return error.fields['store_fault'] === 'newer_schema' ? told('newer_schema', error.message) : null
  if (storeError(error) !== null || AROUND.has(codeOf(error))) return null
  const code = codeOf(error)
  const isOfStore = /^(XX0|58)/.test(code) || code === 'EIO'
  if (stage === 'later' && !isOfStore) return null
  // A fault that Postgres puts a number to, and that is not of its files, is one of ours.
  if (/^[0-9A-Z]{5}$/.test(code) && !isOfStore) return null
  return told('damaged', sentenceOf(error))
}

/** The same as an error, whose message stands by itself on a terminal. */
export function cannotOpen(fault: OpenFault, cause?: unknown): LoomError {
  return new LoomError(
    'UNAVAILABLE',
    `Loom cannot open its database. ${fault.sentence} Nothing of it has been deleted. \`loom recover\` shows the ways on.`,
    { recovery: fault },
    cause === undefined ? {} : { cause },
  )
}
