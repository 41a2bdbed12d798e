import { sql } from 'kysely'
import type { Space } from './space.ts'
import { contradiction, held, ROW, type WriteCase } from './write-cases.ts'

const TEXT = 'The archive is rebuilt every night.'
const THIRD = 'Production deploys run on Sundays.'

const twins = async (space: Space) => {
  await space.set('fact/a', TEXT, { run_id: 'r1' })
  await space.set('fact/b', TEXT, { run_id: 'r2' })
  await space.set('fact/c', TEXT, { run_id: 'r3' })
}

/** Ids that a case notes for its call, by namespace. */
const ids = new Map<string, string>()
const keptId = ({ namespace }: Space): string => ids.get(namespace) ?? ''

const times = new Map<string, string>()

/** A row that says something else since, one that is gone, and one that is new. */
const changedSince = async (space: Space) => {
  await contradiction(space)
  await space.set('b', TEXT)
  space.later(60_000)
  const { at } = await space.call('namespace.snapshot', { name: 'then' })
  times.set(space.namespace, at)
  space.later(60_000)
  await space.set('b', 'The archive is never rebuilt by night any more.')
  await space.call('memory.delete', { memory_key: 'ops/deploys' })
  await space.set('c', 'The kettle in the east kitchen is broken.')
}

export const REVIEW_CASES: readonly WriteCase[] = [
  {
    name: 'conflicts.resolve keep_row',
    before: contradiction,
    run: (space, key) => space.call('conflicts.resolve', { memory_key: 'ops/deploys', resolution: 'keep_row' }, key),
    changes: [...ROW, 'memory_pair'],
  },
  {
    name: 'conflicts.resolve merge',
    before: contradiction,
    run: (space, key) => space.call('conflicts.resolve', { memory_key: 'ops/deploys', resolution: 'merge', value: THIRD }, key),
    changes: [...ROW, 'memory_pair', 'memory_embedding'],
  },
  {
    name: 'conflicts.resolve reopen',
    before: async (space) => (
      await contradiction(space),
      space.call('conflicts.resolve', { memory_key: 'ops/deploys', resolution: 'merge', value: THIRD })
    ),
    run: (space, key) => space.call('conflicts.resolve', { memory_key: 'ops/deploys', resolution: 'reopen' }, key),
    changes: [...ROW, 'memory_pair', 'memory_embedding'],
  },
  {
    name: 'memory.dedup_resolve',
    before: twins,
    run: (space, key) => space.call('memory.dedup_resolve', { memory_key: 'fact/b', keep: 'duplicate' }, key),
    changes: [...ROW, 'memory_pair'],
  },
  {
    name: 'memory.dedup_collapse',
    before: twins,
    run: (space, key) => space.call('memory.dedup_collapse', {}, key),
    changes: ['memory_lexical'],
  },
  {
    name: 'memory.resolve_orphan_duplicates',
    before: async (space) => (await twins(space), space.call('memory.delete', { memory_key: 'fact/a' })),
    run: (space, key) => space.call('memory.resolve_orphan_duplicates', {}, key),
    several: true,
  },
  {
    name: 'review.dismiss',
    before: async (space) => {
      await contradiction(space)
      // What the judge is not sure of depends on its calibration: make this finding one of those.
      const { namespace, loom } = space
      await sql`UPDATE loom.memory_pair SET unsure = true WHERE namespace = ${namespace}`.execute(loom.database.reader)
      await sql`UPDATE loom.memory_version SET status = 'active' WHERE namespace = ${namespace}`.execute(loom.database.reader)
      await sql`UPDATE loom.memory SET status = 'active' WHERE namespace = ${namespace}`.execute(loom.database.reader)
      await space.call('memory.verify', { memory_key: 'ops/deploys' })
      const { items } = await space.call('review.queue', {})
      ids.set(namespace, items[0]?.item_id ?? '')
    },
    run: (space, key) => space.call('review.dismiss', { item_id: keptId(space) }, key),
    changes: ['memory_pair', 'audit'],
  },
  {
    name: 'blacklist.add with a sweep',
    before: contradiction,
    run: (space) => space.call('blacklist.add', { pattern: 'monday to thursday', sweep: true }),
    several: true,
  },
  {
    name: 'blacklist.add',
    run: (space) => space.call('blacklist.add', { pattern: 'a phrase' }),
    several: true,
  },
  {
    name: 'blacklist.sweep',
    before: async (space) => (await contradiction(space), space.call('blacklist.add', { pattern: 'production' })),
    run: (space) => space.call('blacklist.sweep', {}),
    several: true,
  },
  {
    name: 'blacklist.remove',
    before: async (space) => {
      const { blacklist_id } = await space.call('blacklist.add', { pattern: 'a phrase' })
      ids.set(space.namespace, blacklist_id)
    },
    run: (space, key) => space.call('blacklist.remove', { blacklist_id: keptId(space) }, key),
    changes: ['blacklist', 'audit'],
  },
  {
    name: 'namespace.register with a window',
    before: held,
    run: (space, key) => space.call('namespace.register', { retention: { semantic: { ttl_seconds: 864000 } } }, key),
    changes: ['namespace', 'audit', 'job'],
  },
  {
    name: 'namespace.register_category',
    run: (space, key) => space.call('namespace.register_category', { category: 'ops' }, key),
    changes: ['namespace_category', 'audit'],
  },
  {
    name: 'namespace.snapshot',
    before: held,
    run: (space, key) => space.call('namespace.snapshot', { name: 's' }, key),
    changes: ['namespace_snapshot', 'audit'],
  },
  {
    name: 'namespace.rollback of a revision, a deletion and a birth',
    before: changedSince,
    run: (space) => space.call('namespace.rollback', { to: times.get(space.namespace) ?? '', reason: 'r', dry_run: false }),
    several: true,
  },
]
