import { ID5_FIELDS } from '../../../contract/common.ts'
import type { OpContract } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { requireOp } from '../../../contract/known-op.ts'
import { Change } from '../../../contract/ops/sync/push.ts'
import { REGISTRY, type OpName } from '../../../contract/registry.ts'
import type { Effect } from '../../../domain/sync/diverged.ts'
import { knownArguments, parseArguments } from '../../arguments.ts'
import type { WriteHandler } from '../../handler.ts'
import { withinBound, type Identity } from '../../identity.ts'
import { roleIn } from '../../rights.ts'
import { aliasedTo } from '../../store/aliases.ts'
import { headAt, headById } from '../../store/memories.ts'
import { settledChange } from '../../store/sync-changes.ts'
import type { ClaimInput } from '../../write/plan.ts'
import { claimOf, isShaped } from '../../write/shaped/claims.ts'
import { isLive, isLapsed } from '../../write/state.ts'
import type { PushCall, RawChange } from './call.ts'
import { effectOf } from './effect.ts'
import { exactIdentity, storable } from './exact-identity.ts'
import { singleRowHandler } from './single-row.ts'

/** A change that can be run: its operation, and the row it is about. */
export interface ReadChange {
  readonly change: Change
  readonly op: OpName
  readonly contract: OpContract
  readonly handler: WriteHandler
  readonly input: Record<string, unknown>
  readonly identity: Identity
  /** Key of the row; '' where the operation names none. */
  readonly key: string
  readonly effect: Effect
  /** What memory.set would be told; null where it is another operation, or an update. */
  readonly claim: ClaimInput | null
  /** The row lived when this was read: an update that finds none all the same is read anew. */
  readonly sawLive: boolean
}

const invalid = (field: string, message: string): LoomError => new LoomError('INVALID_ARGUMENT', `${field} ${message}.`, { field })

function parseChange(raw: RawChange): Change {
  const read = Change.safeParse(raw)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw invalid(issue?.path.map(String).join('.') || 'The change', issue?.message ?? 'cannot be read')
}

/** @throws LoomError UNKNOWN_OPERATION for an operation that no desktop replays. */
function replayedOp(name: string): OpName {
  try {
    const op = requireOp(name)
    if ((REGISTRY[op] as OpContract).sync === 'replay') return op
  } catch (error) {
    throw new LoomError('UNKNOWN_OPERATION', error instanceof Error ? error.message : String(error), { operation: name })
  }
  throw new LoomError('UNKNOWN_OPERATION', `${name} is not replayed: a desktop runs it by itself, or asks the server.`, { operation: name })
}

const OF_CHANGE = /^change:(.+)$/

/** A version that the device did not know yet is that of the change which made it. */
async function withVersion(args: Readonly<Record<string, unknown>>, push: PushCall): Promise<Record<string, unknown>> {
  const named = OF_CHANGE.exec(storable(args, 'version'))?.[1]
  if (named === undefined) return { ...args }
  const kept = await settledChange(push.context.db, push.org, named)
  if (!kept || kept.version === null)
    throw new LoomError('NOT_FOUND', 'The change whose version this names left none on the server.', { field: 'args.version' })
  return { ...args, version: kept.version }
}

/** An id that the device made is another name of the server's own. */
async function withKnownId(args: Record<string, unknown>, push: PushCall): Promise<Record<string, unknown>> {
  const id = storable(args, 'memory_id')
  if (id === '' || (await headById(push.context.db, push.org, id))) return args
  return { ...args, memory_id: (await aliasedTo(push.context.db, push.org, id)) ?? id }
}

/** Validates and defaults the arguments; what names the row beside the operation's own fields is left out. */
function inputOf(contract: OpContract, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const beside = new Set<string>([...ID5_FIELDS, 'memory_key'].filter((field) => !(field in contract.input.shape)))
  const own = Object.fromEntries(Object.entries(args).filter(([field]) => !beside.has(field)))
  try {
    return parseArguments(contract, knownArguments(contract, own).known)
  } catch (error) {
    if (!(error instanceof LoomError) || error.code === 'INVALID_ARGUMENT') throw error
    const { field } = error.fields
    throw new LoomError('INVALID_ARGUMENT', error.message, { field: `args.${typeof field === 'string' ? field : ''}` })
  }
}

interface Place {
  readonly identity: Identity
  readonly key: string
  readonly live: boolean
  readonly lapsed: boolean
}

/** The row that a change is about, where it addresses one. */
async function placeOf(contract: OpContract, args: Readonly<Record<string, unknown>>, push: PushCall): Promise<Place> {
  const { db, now, caller } = push.context
  const named = exactIdentity(contract, args)
  const isAddressed = contract.identity === 'exact' || contract.identity === 'resolve'
  const id = storable(args, 'memory_id')
  const found = id !== '' && named.org === push.org ? await headById(db, push.org, id) : null
  // A row that the token does not reach is one that is not there.
  const byId = found && roleIn(caller.claims, found.org, found.namespace) !== null && withinBound(caller, found) ? found : null
  const { org, namespace, agent, user_id, session_id } = byId ?? named
  const identity = { org, namespace, agent, user_id, session_id }
  const isWhole = ID5_FIELDS.every((field) => typeof args[field] === 'string' && args[field] !== '')
  const key = byId?.memory_key ?? (isAddressed || isWhole ? storable(args, 'memory_key') : '')
  const head = byId ?? (key === '' ? null : await headAt(db, identity, key))
  return { identity, key, live: head !== null && isLive(head, now), lapsed: head !== null && isLapsed(head, now) }
}

const UPDATES = new Set(['memory.update', 'memory.update_by_id'])

/**
 * A change as what runs: an update of a key without a live row is a memory.set, so that no value is dropped.
 * @throws LoomError UNKNOWN_OPERATION, INVALID_ARGUMENT or MISSING_IDENTITY_FIELD for what cannot be run at all,
 *   NOT_FOUND where it names a version that never came to be
 */
export async function readChange(raw: RawChange, push: PushCall): Promise<ReadChange> {
  const change = parseChange(raw)
  const asked = replayedOp(change.op)
  const args = await withKnownId(await withVersion(change.args, push), push)
  const place = await placeOf(REGISTRY[asked], args, push)
  const setsAnew = UPDATES.has(asked) && args['value'] !== undefined && place.key !== '' && !place.live && !place.lapsed
  const op = setsAnew ? 'memory.set' : asked
  const contract: OpContract = REGISTRY[op]
  const { revive: _revive, memory_id: _id, ...kept } = args
  const input = inputOf(contract, setsAnew ? { ...kept, ...place.identity, memory_key: place.key } : args)
  const handler = singleRowHandler(op, change.via, input, push.context.parts.handlerOf)
  const { identity, live: sawLive } = place
  const claim = claimFor(op, input, identity)
  const key = claim?.memory_key ?? place.key
  return {
    change,
    op,
    contract,
    handler,
    input: withClass(input, contract, change),
    identity,
    key,
    effect: effectOf(op, input),
    claim,
    sawLive,
  }
}

function claimFor(op: OpName, input: Record<string, unknown>, identity: Identity): ClaimInput | null {
  if (op === 'memory.set' || op === 'memory.pin') return input as ClaimInput
  return isShaped(op) ? claimOf(op, input, identity, []) : null
}

const LOWEST = new Set(['external', 'imported', 'derived'])

/** The class of what came from outside goes with it. */
function withClass(input: Record<string, unknown>, contract: OpContract, { source_class }: Change): Record<string, unknown> {
  const takes = 'source_class' in contract.input.shape && input['source_class'] === undefined && LOWEST.has(source_class)
  return takes ? { ...input, source_class } : input
}
