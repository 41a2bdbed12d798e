import type { OpName } from '../../../contract/registry.ts'
import { REGISTRY } from '../../../contract/registry.ts'
import { ID5_FIELDS } from '../../../contract/common.ts'
import type { OpContract } from '../../../contract/declare.ts'
import type { Identity } from '../../identity.ts'
import type { Written } from '../../library/written.ts'
import type { Replay } from '../../handler.ts'
import type { Head } from '../../store/memories.ts'
import { isShaped } from '../../write/shaped/claims.ts'
import { typedShapeOf } from '../push/typed-row.ts'
import { isOfLibrary, ofLibrary } from './split-library.ts'
import { ofTyped } from './split-typed.ts'

/** A change before it is stored: the operation of one row, and that row as it now is (null: none holds the key). */
export interface Draft {
  readonly op: string
  readonly via: string
  readonly args: Record<string, unknown>
  readonly identity: Identity
  readonly memoryKey: string
  readonly row: Head | null
  /** What is shown as mine, where it is no memory row's. */
  readonly value?: string
}

/** What a call left behind in its transaction. */
export interface Left {
  readonly replay: Replay
  readonly identity: Identity
  readonly answer: Readonly<Record<string, unknown>>
  /** Rows of memory that it touched, as they now are. */
  readonly heads: readonly Head[]
  /** Tables that it touched besides. */
  readonly relations: ReadonlySet<string>
  /** A row that it names without touching it. */
  readonly named: Head | null
  /** The document or thread that it wrote, as it was before. */
  readonly written: Written | null
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The id by which an answer names the row that it is about. */
export function answeredId({ replay, answer }: Pick<Left, 'replay' | 'answer'>): string {
  const rows = answer['rows'] as readonly { readonly memory_id?: string }[] | undefined
  return replay.row ?? (text(answer['source_memory_id']) || text(answer['memory_id']) || text(rows?.length === 1 ? rows[0]?.memory_id : ''))
}

const identityOf = ({ org, namespace, agent, user_id, session_id }: Identity): Identity => ({ org, namespace, agent, user_id, session_id })

/** Input of an operation with all of the identity that it takes, and without what only says how a call is run. */
function argsOf(op: string, args: Readonly<Record<string, unknown>>, identity: Identity): Record<string, unknown> {
  const shape = (REGISTRY[op as OpName] as OpContract).input.shape
  const { dry_run: _dry, ...kept } = args
  const given = Object.fromEntries(Object.entries(kept).filter(([name, value]) => value !== undefined && name in shape))
  const fields = ID5_FIELDS.filter((field) => field in shape).map((field) => [field, identity[field]])
  return { ...given, ...Object.fromEntries(fields) }
}

/** A change of one row by its key: an operation that named it by its id names the key, which is one on every host. */
function byKey(op: string, via: string, args: Readonly<Record<string, unknown>>, head: Head): Draft {
  const { memory_id: _id, memory_keys: _keys, ...rest } = args
  const identity = identityOf(head)
  return { op, via, args: argsOf(op, { ...rest, memory_key: head.memory_key }, identity), identity, memoryKey: head.memory_key, row: head }
}

/** Written at the identity of the call, whatever row was there. */
const EXACT = new Set(['memory.set', 'memory.pin', 'memory.delete_version'])
/** The call alone says which row it writes. */
export const isExact = (op: string): boolean => EXACT.has(op)

const BY_ID: Readonly<Record<string, string>> = { 'memory.update_by_id': 'memory.update' }
/** What hangs on a key or its row, and is no version of it. */
const OF_KEYS = new Set(['memory.link', 'memory.assign_category', 'memory.promote', 'memory.cross_promote', 'memory.demote'])
const PAIRS = new Set(['conflicts.resolve', 'memory.dedup_resolve', 'review.dismiss'])
/** Each row that it retired is deleted by itself on the server. */
const RETIRING = new Set(['memory.clear', 'blacklist.sweep', 'blacklist.add'])

/** Replayed as they were told: what a run did to memories is made anew where it ends. */
const OF_RUNS: ReadonlySet<string> = new Set(['run.start', 'run.event', 'run.complete', 'run.grade'])
/** Operations whose change may lie in no table that is kept for the server. */
export const UNKEPT: ReadonlySet<string> = new Set([...OF_RUNS, 'memory.outcome', 'learning.decide'])

function ofRun({ replay, identity, answer }: Left): Draft[] {
  const { op, args } = replay
  const { created, noop, appended, changed } = answer
  const isNew = created === true || noop === false || changed === true || (typeof appended === 'number' && appended > 0)
  const run_id = text(answer['run_id']) || text(args['run_id'])
  return isNew
    ? [{ op, via: '', args: argsOf(op, { ...args, run_id }, identity), identity: identityOf(identity), memoryKey: '', row: null }]
    : []
}

function exactly({ replay, identity, heads }: Left): Draft[] {
  const key = text(replay.args['memory_key'])
  const row = heads.find((head) => head.memory_key === key && ID5_FIELDS.every((field) => head[field] === identity[field])) ?? null
  const args = argsOf(replay.op, replay.args, identity)
  return [{ op: replay.op, via: replay.via, args, identity: identityOf(identity), memoryKey: key, row }]
}

/** An operation that builds its key is pushed with the key that it built. */
function shaped(left: Left): Draft[] {
  const memory_key = left.answer['memory_key']
  const named = { ...left, replay: { ...left.replay, args: { ...left.replay.args, memory_key } } }
  return exactly(named).map((draft) => ({ ...draft, args: { ...draft.args, memory_key } }))
}

function ofPair({ replay, answer, named }: Left): Draft[] {
  if (!named) return []
  const { memory_id: _id, memory_key: _key, peer_key: _peer, ...rest } = replay.args
  const pair = replay.op === 'review.dismiss' ? {} : { pair_id: answer['pair_id'] }
  const identity = identityOf(named)
  const args = argsOf(replay.op, { ...rest, ...pair }, identity)
  return [{ op: replay.op, via: '', args, identity, memoryKey: named.memory_key, row: named }]
}

function ofKey({ replay, identity, answer, named }: Left): Draft[] {
  const at = named ? identityOf(named) : identityOf(identity)
  const key = text(replay.args['memory_key'])
  // A category is of the key, whatever row holds it.
  const where = replay.op === 'memory.assign_category' ? identityOf(identity) : at
  return [
    {
      op: replay.op,
      via: replay.via,
      args: argsOf(replay.op, replay.args, where),
      identity: where,
      memoryKey: key || text(answer['memory_key']),
      row: named,
    },
  ]
}

/** memory.apply leaves the operation of each row that does the same. */
function applied({ replay, heads, named }: Left): Draft[] {
  const head = heads.find((row) => row.memory_id === replay.row) ?? named
  if (!head) return []
  const { args } = replay
  const blocks: Readonly<Record<string, () => Draft>> = {
    delete: () => byKey('memory.delete', replay.op, {}, head),
    expire: () => byKey('memory.touch', replay.op, { ...(args['expire'] as object) }, head),
    lock: () => byKey('memory.lock', replay.op, { ...(args['lock'] as object), reason: args['reason'] }, head),
    label: () => byKey('memory.update', replay.op, { tags: head.tags }, head),
    demote: () => byKey('memory.update', replay.op, { confidence: head.confidence }, head),
  }
  const made = blocks[text(args['action'])]
  return made ? [made()] : []
}

function touched({ replay, answer, heads }: Left): Draft[] {
  const rows = (answer['rows'] as readonly { readonly memory_id: string; readonly touched: boolean }[] | undefined) ?? []
  const changed = heads.filter((head) => rows.some((row) => row.touched && row.memory_id === head.memory_id))
  const via = replay.args['memory_keys'] === undefined ? '' : replay.op
  return changed.map((head) => byKey(replay.op, via, replay.args, head))
}

/**
 * The changes that a call leaves: one, or one for each row of an operation of many. Rows that it retired or changed on
 * the side are not among them: the server makes its own.
 */
export function changesOf(left: Left): Draft[] {
  const { replay, heads, relations, named } = left
  const { op } = replay
  if (op === 'memory.outcome') return left.answer['recorded'] === true && named ? [byKey(op, replay.via, replay.args, named)] : []
  if (OF_RUNS.has(op)) return ofRun(left)
  if (op === 'learning.decide') return named ? [byKey(op, '', replay.args, named)] : []
  if (heads.length === 0 && relations.size === 0) return []
  if (typedShapeOf(op)) return ofTyped(left, argsOf)
  if (isOfLibrary(op)) return ofLibrary(left, argsOf)
  if (RETIRING.has(op)) {
    const pattern = relations.has('blacklist') ? [{ ...replay.args, sweep: false }] : []
    const retired = heads.filter((head) => head.status === 'tombstoned')
    return [
      ...pattern.map((args) => ({ op, via: '', args: argsOf(op, args, left.identity), identity: left.identity, memoryKey: '', row: null })),
      ...retired.map((head) => byKey('memory.delete', op, {}, head)),
    ]
  }
  if (EXACT.has(op)) return exactly(left)
  if (isShaped(op)) return shaped(left)
  if (PAIRS.has(op)) return ofPair(left)
  if (op === 'memory.apply') return applied(left)
  if (op === 'memory.touch') return touched(left)
  if (OF_KEYS.has(op)) return ofKey(left)
  if (op === 'blacklist.remove') {
    return [{ op, via: '', args: argsOf(op, replay.args, left.identity), identity: left.identity, memoryKey: '', row: null }]
  }
  const head = heads.find((row) => row.memory_id === answeredId(left)) ?? named
  return head ? [byKey(BY_ID[op] ?? op, replay.via, replay.args, head)] : []
}
