import { sql } from 'kysely'
import { LoomError } from '../../contract/errors.ts'
import type { ReadContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { ambiguous } from '../store/resolve.ts'
import { asHead, standing, versionsAsOf, type AsOf } from '../store/versions-as-of.ts'
import { answerRead, type ReadAnswer, type ReadInput } from './answer-read.ts'

interface AsOfInput {
  readonly as_of?: string | null | undefined
  readonly as_of_basis: AsOf['basis']
  readonly version?: bigint | undefined
}

/**
 * The time a call asks for, or null for now.
 * @throws LoomError INVALID_ARGUMENT for a call that names a version as well.
 */
export function asOfOf({ as_of: asOf, as_of_basis: basis, version }: AsOfInput): AsOf | null {
  if (asOf === undefined || asOf === null) return null
  if (version !== undefined) throw new LoomError('INVALID_ARGUMENT', 'version and as_of both name a past. Send one.', { field: 'as_of' })
  return { at: new Date(asOf), basis }
}

/**
 * What a read answers for rows as they were at a time. Of several rows the one that stood then.
 * @throws LoomError AMBIGUOUS_KEY when several stood.
 */
export async function answerAsOf(heads: readonly Head[], input: ReadInput, asOf: AsOf, context: ReadContext): Promise<ReadAnswer> {
  const nothing = (reason: ReadAnswer['reason']): ReadAnswer => ({ found: false, unchanged: false, reason, next: 'memory.search' })
  if (heads.length === 0) return nothing('not_found')
  const ids = heads.map((head) => head.memory_id)
  const versions = await versionsAsOf(
    context.db,
    context.parts.host,
    asOf,
    sql`v.org = ${context.identity.org} AND v.memory_id = any(${ids}::text[])`,
  )
  const told = versions.map((version) => {
    const why = standing(version, asOf)
    return { version, why: why === 'proposed' && input.include_proposed ? '' : why }
  })
  const stood = told.filter(({ why }) => why === '')
  if (stood.length > 1) throw ambiguous(heads[0]?.memory_key ?? '', heads)
  const [only] = stood
  if (only) return answerRead(asHead(only.version), { ...input, follow: false, anyStatus: true }, context)
  const isDeleted = asOf.basis === 'valid_time' && heads.every((head) => head.status === 'tombstoned')
  return nothing(isDeleted ? 'deleted' : (told[0]?.why ?? '') || 'not_found')
}
