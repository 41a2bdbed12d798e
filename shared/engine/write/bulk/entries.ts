import type { Input } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import type { memoryBulkSet } from '../../../contract/ops/memory/bulk_set.ts'
import { memorySet } from '../../../contract/ops/memory/set.ts'
import { Row } from '../../../contract/row.ts'
import { nearestName } from '../../arguments.ts'
import type { PrepareContext } from '../../handler.ts'
import { fillIdentity, type Identity } from '../../identity.ts'
import type { Triple } from '../../store/attachments.ts'
import { contentOf, type Content } from '../content.ts'
import { checkExpiry } from '../expiry.ts'
import type { ClaimInput } from '../plan.ts'

type BulkInput = Input<typeof memoryBulkSet>
type RawEntry = BulkInput['entries'][number]

/** One entry of a bulk write, read and checked. */
export interface Entry {
  readonly index: number
  readonly identity: Identity
  readonly input: ClaimInput
  readonly content: Content
}

const SET_FIELDS = Object.keys(memorySet.input.shape)
const KNOWN = new Set([...SET_FIELDS, ...Object.keys(Row.shape)])
const STAMPED = new Set(['user', 'agent', 'system'])

const date = (text: string | null | undefined): Date | null => (text === null || text === undefined ? null : new Date(text))

/**
 * Fields of an entry that are not known: any is named as ignored.
 * @throws LoomError UNKNOWN_ARGUMENT for a near miss of a real field.
 */
export function unknownFields(raw: object, index: number, real: readonly string[], known: ReadonlySet<string>): string[] {
  const unknown = Object.keys(raw).filter((name) => !known.has(name))
  for (const name of unknown) {
    const nearest = nearestName(name, real)
    if (nearest === null) continue
    throw new LoomError('UNKNOWN_ARGUMENT', `entries[${index}] has no field ${name}. Did you mean ${nearest}? Nothing was stored.`, {
      field: `entries[${index}].${name}`,
      did_you_mean: { [name]: nearest },
    })
  }
  return unknown.map((name) => `entries[${index}].${name}`)
}

function refuseForeign(raw: RawEntry, index: number): void {
  const refuse = (field: string, message: string): never => {
    throw new LoomError('INVALID_ARGUMENT', `entries[${index}]: ${message} Nothing was stored.`, { field: `entries[${index}].${field}` })
  }
  if (raw['if_match_sha256'] !== undefined && raw['if_match_sha256'] !== '') refuse('if_match_sha256', 'a precondition needs memory.set.')
  if (raw['dry_run'] === true) refuse('dry_run', 'dry_run is of the whole call.')
  if (raw.proposed && raw.pinned) refuse('proposed', 'a proposal cannot be pinned.')
}

/** An entry may be a row of an export: what only a row says is left aside. */
function claimInput(raw: RawEntry, call: BulkInput): ClaimInput {
  const { agent: _agent, user_id: _user, session_id: _session, source_class: given, relations, expire_reason: reason, ...fields } = raw
  const isRow = 'expires_at' in raw
  const named = Object.fromEntries(Object.entries(fields).filter(([name]) => name in memorySet.input.shape))
  return {
    ...(named as unknown as ClaimInput),
    run_id: raw.run_id ?? call.run_id,
    if_match_sha256: '',
    dry_run: call.dry_run,
    ...(given !== undefined && !STAMPED.has(given) && { source_class: given as ClaimInput['source_class'] }),
    ...(reason !== undefined && !(isRow && reason.startsWith('retention:')) && { expire_reason: reason }),
    ...(relations && {
      relations: relations.map((one) =>
        Array.isArray(one) ? one : [one.subject, one.predicate, one.object],
      ) as Triple[] as ClaimInput['relations'],
    }),
  }
}

function entryOf(raw: RawEntry, index: number, call: BulkInput, context: PrepareContext): Entry {
  refuseForeign(raw, index)
  const { parts, identity: own, caller } = context
  const input = claimInput(raw, call)
  try {
    const named = { agent: raw.agent ?? own.agent, user_id: raw.user_id ?? own.user_id, session_id: raw.session_id ?? own.session_id }
    const { identity } = fillIdentity(memorySet, { ...own, ...named }, caller, parts.mode === 'single')
    checkExpiry(input, date(input.valid_at), date(input.valid_to))
    return { index, identity, input, content: contentOf(input.memory_key, input.value, parts.config.valueAdvisoryChars) }
  } catch (error) {
    if (!(error instanceof LoomError) || typeof error.fields['field'] !== 'string') throw error
    throw new LoomError(error.code, `entries[${index}]: ${error.message}`, {
      ...error.fields,
      field: `entries[${index}].${error.fields['field']}`,
    })
  }
}

/**
 * Reads the entries of a call before any is written, so that a bad one refuses the call whole (BLK001).
 * @throws LoomError INVALID_ARGUMENT, UNKNOWN_ARGUMENT, FORBIDDEN or NOT_IMPLEMENTED, with `field` as entries[3].tags.
 */
export function readEntries(call: BulkInput, context: PrepareContext): { entries: Entry[]; ignored: string[] } {
  const ignored = call.entries.flatMap((raw, index) => unknownFields(raw, index, SET_FIELDS, KNOWN))
  return { entries: call.entries.map((raw, index) => entryOf(raw, index, call, context)), ignored }
}
