import { AGAINST, ambiguous, byId, cursor, OTHER, row, twoRows, type Ground, type Made, type Refusal } from './refusal.ts'

/** Refusals by what a call names: several rows, none, an expired one, or one that is taken. */

const expired = async (ground: Ground): Promise<Made> => {
  const made = await row(ground, { ttl_seconds: 60 })
  ground.later(61_000)
  return made
}
/** A row of the same key and text under each of two agents, both stored as duplicates of a third. */
const twoDuplicates = async (ground: Ground): Promise<void> => {
  await row(ground, { memory_key: 'peer', run_id: 'r1' })
  await row(ground, { agent: 'one', memory_key: 'row', run_id: 'r2' })
  await row(ground, { agent: 'two', memory_key: 'row', run_id: 'r3' })
}
const twoContradictions = async (ground: Ground): Promise<void> => {
  await row(ground, { memory_key: 'a', value: 'The maintenance window of cluster alpha starts at 2:00.' })
  await row(ground, { memory_key: 'b', value: 'The maintenance window of cluster alpha starts at 4:00.' })
  await ground.call('conflicts.resolve', { memory_key: 'b', resolution: 'keep_both' })
  await row(ground, { memory_key: 'row', value: 'The maintenance window of cluster alpha starts at 15:00.' })
}

export const TARGET_CASES: readonly Refusal[] = [
  ...(
    [
      'memory.delete',
      'memory.get',
      'memory.history',
      'memory.inspect',
      'memory.reject',
      'memory.unlock',
      'memory.unpin',
      'memory.verify',
    ] as const
  ).map((op) => ambiguous(op)),
  ambiguous('memory.link', { to_key: 'other' }),
  ambiguous('memory.update', { value: AGAINST }),
  ambiguous('memory.touch', { ttl_seconds: 60 }),
  ambiguous('memory.outcome', { outcome: 'positive' }),
  ambiguous('memory.lock', { reason: 'r' }),
  ambiguous('memory.move', { to_key: 'other' }),
  {
    ...ambiguous('memory.restore'),
    what: 'a key of two retired rows',
    async before(ground) {
      await twoRows(ground)
      for (const agent of ['one', 'two']) await ground.call('memory.delete', { agent, memory_key: 'k' })
    },
  },
  {
    ...ambiguous('memory.redact'),
    what: 'a version number that two rows of the key have',
    async before(ground) {
      await twoRows(ground)
      await ground.sql(`UPDATE loom.memory_version SET version = 7 WHERE namespace = '${ground.namespace}'`)
    },
    input: { memory_key: 'k', version: 7, reason: 'r' },
  },
  {
    op: 'conflicts.resolve',
    code: 'AMBIGUOUS_KEY',
    what: 'a row with two open pairs',
    before: twoContradictions,
    input: { memory_key: 'row', resolution: 'keep_row' },
    detail: {
      candidates: [
        { memory_key: 'row', pair_id: 'p_' },
        { memory_key: 'row', pair_id: 'p_' },
      ],
    },
  },
  {
    op: 'memory.dedup_resolve',
    code: 'AMBIGUOUS_KEY',
    what: 'a key that two duplicates hold',
    before: twoDuplicates,
    input: { memory_key: 'row', keep: 'canonical' },
    detail: {
      candidates: [
        { memory_key: 'row', pair_id: 'p_' },
        { memory_key: 'row', pair_id: 'p_' },
      ],
    },
  },

  {
    op: 'memory.update',
    code: 'EXPIRED',
    what: 'an expired row without revive',
    before: expired,
    input: { memory_key: 'k', value: OTHER },
    detail: ({ memory_id }: Made) => ({ memory_id }),
  },
  {
    op: 'memory.update_by_id',
    code: 'EXPIRED',
    what: 'an expired row without revive',
    before: expired,
    input: byId,
    detail: ({ memory_id }: Made) => ({ memory_id }),
  },
  {
    op: 'memory.move',
    code: 'KEY_HOLDS_FACT',
    what: 'a target that is live',
    before: async (ground) => (await row(ground), row(ground, { memory_key: 'other', value: OTHER })),
    input: { memory_key: 'k', to_key: 'other' },
    detail: ({ memory_id }: Made) => ({ memory_key: 'other', memory_id }),
  },
  { op: 'namespace.get', code: 'NOT_FOUND', what: 'a namespace that never was', input: { namespace: 'never-was' } },
  { op: 'namespace.restore', code: 'NOT_FOUND', what: 'an unknown snapshot', input: { snapshot_id: 'none', reason: 'r' } },
  { op: 'blacklist.sweep', code: 'NOT_FOUND', what: 'an unknown pattern', input: { blacklist_id: 'none' } },
  {
    op: 'memory.assign_category',
    code: 'NOT_FOUND',
    what: 'a category that nobody registered',
    before: (ground) => row(ground),
    input: { memory_key: 'k', category: 'none' },
  },
  {
    op: 'namespace.snapshot',
    code: 'ALREADY_EXISTS',
    what: 'a name that is taken',
    before: async (ground) => void (await ground.call('namespace.snapshot', { name: 'march' })),
    input: { name: 'march' },
  },
  ...(
    [
      'audit.list',
      'blacklist.list',
      'conflicts.list',
      'memory.auto_retirements',
      'memory.list',
      'memory.timeline',
      'namespace.list',
      'namespace.snapshots',
      'review.queue',
    ] as const
  ).map((op) => cursor(op)),
  cursor('memory.history', { memory_key: 'k' }),
  cursor('memory.search', { query: 'deploys' }),
]
