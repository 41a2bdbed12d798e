import type { ErrorCode } from '../../../shared/contract/errors.ts'
import type { CallInputOf, OpName, OutputOf } from '../../../shared/contract/registry.ts'

/** The namespace in which a refusal is tried, and the calls that prepare it. */
export interface Ground {
  readonly namespace: string
  call<N extends OpName>(op: N, input: CallInputOf<N>): Promise<OutputOf<N>>
  /** Changes the store where no call leads to what is needed. */
  sql(text: string): Promise<void>
  /** Moves the clock on. */
  later(ms: number): void
}

export type Made = Readonly<Record<string, unknown>>

/** A call that is refused, on every road alike. */
export interface Refusal {
  readonly op: OpName
  readonly code: ErrorCode
  /** What is wrong with the call. */
  readonly what: string
  /** Prepares the ground; what it answers goes to `input` and `detail`. */
  readonly before?: (ground: Ground) => Promise<Made | void>
  readonly input: object | ((made: Made) => object)
  /** Fields of the error's body besides code, message, category, retryable and request_id. */
  readonly detail?: object | ((made: Made) => object)
}

export const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
export const AGAINST = 'Production deploys run Monday to Thursday.'
export const OTHER = 'The kettle in the east kitchen is broken.'
export const WRONG_SHA = 'f'.repeat(64)

export const row = async (ground: Ground, more: object = {}): Promise<Made> => {
  const { memory_id, content_sha256, version } = await ground.call('memory.set', {
    agent: 'default',
    memory_key: 'k',
    value: HELD,
    ...more,
  })
  return { memory_id, content_sha256, version }
}
/** A longer value for the row, named by its id. */
export const byId = ({ memory_id }: Made): object => ({ memory_id, value: 'A longer value than that.' })
/** Two rows of one key, of different agents. */
export const twoRows = async (ground: Ground): Promise<void> => {
  await row(ground, { agent: 'one', value: HELD })
  await row(ground, { agent: 'two', value: OTHER })
}
export const locked =
  (mode: 'read_only' | 'no_delete') =>
  async (ground: Ground): Promise<Made> => {
    const made = await row(ground)
    await ground.call('memory.lock', { memory_key: 'k', mode, reason: 'audit of March', until: '2099-01-01T00:00:00Z' })
    return made
  }
export const LOCKED = (mode: 'read_only' | 'no_delete') => ({
  mode,
  reason: 'audit of March',
  locked_by: 'human:local',
  until: '2099-01-01T00:00:00.000Z',
})
export const CANDIDATES = { candidates: expectTwo() }

function expectTwo(): object[] {
  return ['two', 'one'].map((agent) => ({ org: 'dev', agent, user_id: '-', session_id: '-', memory_key: 'k' }))
}
/** A pair that contradicts: `row` stands against `peer`. */
export const contradiction = async (ground: Ground): Promise<Made> => {
  const peer = await ground.call('memory.set', { agent: 'default', memory_key: 'peer', value: HELD })
  const made = await ground.call('memory.set', { agent: 'default', memory_key: 'row', value: AGAINST })
  const { pairs } = await ground.call('conflicts.list', {})
  return { pair_id: pairs[0]?.pair_id, row_sha256: made.content_sha256, peer_sha256: peer.content_sha256 }
}
export const duplicate = async (ground: Ground): Promise<void> => {
  await ground.call('memory.set', { agent: 'default', memory_key: 'peer', value: HELD, run_id: 'r1' })
  await ground.call('memory.set', { agent: 'default', memory_key: 'row', value: HELD, run_id: 'r2' })
}
export const blocked = async (ground: Ground): Promise<Made> => {
  const { blacklist_id } = await ground.call('blacklist.add', { pattern: 'forbidden phrase', reason: 'Not for memory.' })
  return { blacklist_id }
}
export const BLOCKED = 'This holds a forbidden phrase.'
export const BLOCKED_BY = ({ blacklist_id }: Made): object => ({ blacklist_id, reason: 'Not for memory.' })
export const limited = (ground: Ground): Promise<Made> => row(ground, { value: 'Short.', char_limit: 10 })
export const LIMITED = { char_limit: 10 }

/** Arguments that are each well formed, and wrong together: 422 with the path of the field. */
export const bad = (
  op: Refusal['op'],
  what: string,
  field: string,
  input: Refusal['input'],
  before?: Refusal['before'],
  more: object = {},
): Refusal => ({
  op,
  code: 'INVALID_ARGUMENT',
  what,
  input,
  detail: { field, ...more },
  ...(before && { before }),
})
export const ambiguous = (op: Refusal['op'], more: object = {}): Refusal => ({
  op,
  code: 'AMBIGUOUS_KEY',
  what: 'a key that two rows hold',
  before: twoRows,
  input: { memory_key: 'k', ...more },
  detail: CANDIDATES,
})
export const cursor = (
  op: Refusal['op'],
  input: object = {},
  before: Refusal['before'] = async (ground) => void (await row(ground)),
): Refusal => ({
  op,
  code: 'INVALID_CURSOR',
  what: 'a cursor that is none of ours',
  before,
  input: { ...input, cursor: 'bm90IGEgY3Vyc29y' },
  detail: { field: 'cursor' },
})
