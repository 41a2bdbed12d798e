import { AGAINST, HELD, LOCKED, row, type Ground, type Refusal } from './refusal.ts'

/** Refusals of facts on trial, and of deciding them. */

const propose = (ground: Ground, value = HELD): Promise<unknown> => row(ground, { value, proposed: true })
const ACCEPT = { memory_key: 'k', decision: 'accept' } as const

export const PROPOSAL_CASES: readonly Refusal[] = [
  {
    op: 'memory.set',
    code: 'KEY_HOLDS_FACT',
    what: 'a proposal on a key that holds a fact',
    before: (ground) => row(ground),
    input: { memory_key: 'k', value: AGAINST, proposed: true },
    detail: ({ memory_id }) => ({ memory_key: 'k', memory_id }),
  },
  {
    op: 'memory.proposal_decide',
    code: 'PINNED_CONFLICT',
    what: 'a memory pinned since stands against it',
    before: async (ground) => {
      await propose(ground, AGAINST)
      await row(ground, { memory_key: 'deploy/window/prod', pinned: true })
    },
    input: ACCEPT,
    detail: { memory_key: 'k', peers: [{ memory_key: 'deploy/window/prod' }] },
  },
  {
    op: 'memory.proposal_decide',
    code: 'BLACKLISTED',
    what: 'a pattern added since',
    before: async (ground) => {
      await propose(ground)
      const { blacklist_id } = await ground.call('blacklist.add', { pattern: 'friday', reason: 'no days' })
      return { blacklist_id }
    },
    input: ACCEPT,
    detail: ({ blacklist_id }) => ({ blacklist_id, reason: 'no days' }),
  },
  {
    op: 'memory.proposal_decide',
    code: 'LOCKED',
    what: 'a lock that came with the row',
    before: async (ground) => {
      await propose(ground)
      // No call locks a proposal; a row of another host may bring one.
      await ground.sql(`UPDATE loom.memory SET lock_mode = 'read_only', lock_reason = 'audit of March', locked_by = 'human:local',
        lock_until = '2099-01-01T00:00:00Z' WHERE namespace = '${ground.namespace}' AND memory_key = 'k'`)
    },
    input: ACCEPT,
    detail: LOCKED('read_only'),
  },
  { op: 'memory.proposals', code: 'INVALID_CURSOR', what: 'a cursor of nothing', input: { cursor: 'x' }, detail: { field: 'cursor' } },
]
