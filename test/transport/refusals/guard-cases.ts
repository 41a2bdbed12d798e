import {
  BLOCKED,
  BLOCKED_BY,
  blocked,
  byId,
  contradiction,
  duplicate,
  HELD,
  LIMITED,
  limited,
  LOCKED,
  locked,
  OTHER,
  row,
  WRONG_SHA,
  type Ground,
  type Made,
  type Refusal,
} from './refusal.ts'

/** Refusals by what guards a row: a lock, a pin, a hash that the caller names, a limit, a pattern. */

const lockedBy = (op: Refusal['op'], mode: 'read_only' | 'no_delete', input: Refusal['input']): Refusal => ({
  op,
  code: 'LOCKED',
  what: `a row locked ${mode}`,
  before: locked(mode),
  input,
  detail: LOCKED(mode),
})
const stale = (op: Refusal['op'], input: Refusal['input']): Refusal => ({
  op,
  code: 'PRECONDITION_FAILED',
  what: 'a hash that no longer holds',
  before: (ground) => row(ground),
  input,
  detail: ({ content_sha256 }: Made) => ({ current_sha256: content_sha256 }),
})
const tooLong = (op: Refusal['op'], input: Refusal['input']): Refusal => ({
  op,
  code: 'CHAR_LIMIT_EXCEEDED',
  what: 'a value over the row’s char_limit',
  before: limited,
  input,
  detail: LIMITED,
})
const refusedText = (op: Refusal['op'], input: Refusal['input']): Refusal => ({
  op,
  code: 'BLACKLISTED',
  what: 'a value that a pattern refuses',
  before: async (ground) => ({ ...(await row(ground)), ...(await blocked(ground)) }),
  input,
  detail: BLOCKED_BY,
})
const pinnedSide =
  (memory_key: string) =>
  async (ground: Ground): Promise<Made> => {
    const made = await contradiction(ground)
    await ground.sql(`UPDATE loom.memory SET pinned = true WHERE namespace = '${ground.namespace}' AND memory_key = '${memory_key}'`)
    return made
  }
const lockedSide =
  (make: (ground: Ground) => Promise<Made | void>) =>
  async (ground: Ground): Promise<Made | void> => {
    const made = await make(ground)
    await ground.call('memory.lock', { memory_key: 'row', mode: 'no_delete', reason: 'audit of March', until: '2099-01-01T00:00:00Z' })
    return made
  }

export const GUARD_CASES: readonly Refusal[] = [
  lockedBy('memory.set', 'read_only', { memory_key: 'k', value: OTHER }),
  lockedBy('memory.pin', 'read_only', { memory_key: 'k', value: OTHER }),
  lockedBy('memory.update', 'read_only', { memory_key: 'k', value: OTHER }),
  lockedBy('memory.update_by_id', 'read_only', byId),
  lockedBy('memory.touch', 'read_only', { memory_key: 'k', ttl_seconds: 60 }),
  lockedBy('memory.delete', 'no_delete', { memory_key: 'k' }),
  lockedBy('memory.delete', 'read_only', { memory_key: 'k' }),
  lockedBy('memory.delete_version', 'no_delete', ({ version }) => ({ memory_key: 'k', version })),
  lockedBy('memory.move', 'no_delete', { memory_key: 'k', to_key: 'other' }),
  lockedBy('memory.reject', 'no_delete', { memory_key: 'k' }),
  lockedBy('memory.redact', 'no_delete', ({ version }) => ({ memory_key: 'k', version, reason: 'r' })),
  {
    ...lockedBy('conflicts.resolve', 'no_delete', { memory_key: 'row', resolution: 'keep_peer' }),
    before: lockedSide(contradiction),
  },
  {
    ...lockedBy('memory.dedup_resolve', 'no_delete', { memory_key: 'row', keep: 'canonical' }),
    before: lockedSide(duplicate),
  },

  {
    op: 'memory.set',
    code: 'PINNED_CONFLICT',
    what: 'a changed value on a pinned key',
    before: (ground) => row(ground, { pinned: true }),
    input: { memory_key: 'k', value: OTHER },
    detail: { memory_key: 'k' },
  },
  {
    op: 'memory.pin',
    code: 'PINNED_CONFLICT',
    what: 'a changed value on a pinned key',
    before: (ground) => row(ground, { pinned: true }),
    input: { memory_key: 'k', value: OTHER },
    detail: { memory_key: 'k' },
  },
  {
    op: 'conflicts.resolve',
    code: 'PINNED_CONFLICT',
    what: 'a pinned side that would be dropped',
    before: pinnedSide('peer'),
    input: { memory_key: 'row', resolution: 'keep_row' },
    detail: { memory_key: 'peer' },
  },
  {
    op: 'memory.dedup_resolve',
    code: 'PINNED_CONFLICT',
    what: 'a pinned side that would be dropped',
    async before(ground) {
      await duplicate(ground)
      await ground.call('memory.pin', { agent: 'default', memory_key: 'row', value: HELD })
    },
    input: { memory_key: 'row', keep: 'canonical' },
    detail: { memory_key: 'row' },
  },

  stale('memory.set', { memory_key: 'k', value: OTHER, if_match_sha256: WRONG_SHA }),
  stale('memory.pin', { memory_key: 'k', value: OTHER, if_match_sha256: WRONG_SHA }),
  stale('memory.update', { memory_key: 'k', value: OTHER, if_match_sha256: WRONG_SHA }),
  stale('memory.update_by_id', (made) => ({ ...byId(made), if_match_sha256: WRONG_SHA })),
  stale('memory.move', { memory_key: 'k', to_key: 'other', if_match_sha256: WRONG_SHA }),
  stale('memory.verify', { memory_key: 'k', if_match_sha256: WRONG_SHA }),
  {
    op: 'memory.set',
    code: 'PRECONDITION_FAILED',
    what: 'a hash for a key with no live row',
    input: { memory_key: 'never/was', value: OTHER, if_match_sha256: WRONG_SHA },
    detail: { current_sha256: '' },
  },
  {
    op: 'conflicts.resolve',
    code: 'PRECONDITION_FAILED',
    what: 'a hash of the row that no longer holds',
    before: contradiction,
    input: { memory_key: 'row', resolution: 'keep_row', if_match_sha256: WRONG_SHA },
    detail: ({ row_sha256 }: Made) => ({ current_sha256: row_sha256 }),
  },
  {
    op: 'conflicts.resolve',
    code: 'PRECONDITION_FAILED',
    what: 'a hash of the peer that no longer holds',
    before: contradiction,
    input: { memory_key: 'row', resolution: 'keep_row', peer_if_match_sha256: WRONG_SHA },
    detail: ({ peer_sha256 }: Made) => ({ current_sha256: peer_sha256 }),
  },

  tooLong('memory.set', { memory_key: 'k', value: 'A value of more than ten characters.' }),
  tooLong('memory.pin', { memory_key: 'k', value: 'A value of more than ten characters.' }),
  tooLong('memory.update', { memory_key: 'k', value: 'A value of more than ten characters.' }),
  tooLong('memory.update_by_id', byId),
  {
    ...tooLong('conflicts.resolve', {
      memory_key: 'row',
      resolution: 'merge',
      value: 'A value that is longer than the peer may be, and says so.',
    }),
    async before(ground) {
      await contradiction(ground)
      await ground.sql(`UPDATE loom.memory SET char_limit = 10 WHERE namespace = '${ground.namespace}' AND memory_key = 'peer'`)
    },
  },

  refusedText('memory.set', { memory_key: 'other', value: BLOCKED }),
  refusedText('memory.pin', { memory_key: 'other', value: { claim: 'x', note: ['in a member', BLOCKED] } }),
  refusedText('memory.update', { memory_key: 'k', value: BLOCKED }),
  refusedText('memory.update_by_id', ({ memory_id }) => ({ memory_id, value: BLOCKED })),
  {
    ...refusedText('conflicts.resolve', { memory_key: 'row', resolution: 'merge', value: BLOCKED }),
    before: async (ground) => (await contradiction(ground), blocked(ground)),
  },
  {
    ...refusedText('memory.restore', { memory_key: 'k' }),
    async before(ground) {
      await row(ground, { value: BLOCKED })
      await ground.call('memory.delete', { memory_key: 'k' })
      return blocked(ground)
    },
  },
]
