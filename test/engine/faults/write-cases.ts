import { sql } from 'kysely'
import type { Space } from './space.ts'

/** One write, what must be there before it, and how it is called. */
export interface WriteCase {
  readonly name: string
  readonly before?: (space: Space) => Promise<unknown>
  readonly run: (space: Space, key?: string) => Promise<unknown>
  /** Its work goes in several transactions: what was committed before a fault stays. */
  readonly several?: boolean
  /** Leaves rows, versions or audit rows behind; others only count. */
  readonly changes?: readonly string[]
}

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'
const TEXT = 'The archive is rebuilt every night.'
const LONG = `A long note on the archive. ${'It goes on for quite a while. '.repeat(60)}`

/** One that contradicts, one that is held already, and one in a category. */
export const IMPORT = { entries: [{ text: AGAINST, category: 'ops' }, { text: HELD }, { text: TEXT, category: 'ops' }] }

export const held = (space: Space) =>
  space.set('deploy/window/prod', HELD, { tags: ['deploy'], relations: [['prod', 'deploys on', 'Tuesday']] })
export const contradiction = async (space: Space) => (await held(space), space.set('ops/deploys', AGAINST))
const newestWins = (space: Space) => space.call('namespace.register', { default_conflict_policy: 'newest_wins' })
const past = new Map<string, bigint>()
/** Keeps the version that a row has now for a call that names it. */
const keepVersion = async (space: Space, key: string) => {
  const { version } = await space.call('memory.get', { memory_key: key })
  if (version !== undefined) past.set(space.namespace, version)
}
const pastVersion = ({ namespace }: Space): bigint => past.get(namespace) ?? 1n
const idOf = async (space: Space, key: string): Promise<string> => {
  const { rows } = await sql<{ memory_id: string }>`SELECT memory_id FROM loom.memory
    WHERE namespace = ${space.namespace} AND memory_key = ${key}`.execute(space.loom.database.reader)
  return rows[0]?.memory_id ?? ''
}
const ids = new Map<string, string>()
const keepId = async (space: Space, key: string) => void ids.set(space.namespace, await idOf(space, key))
const keptId = ({ namespace }: Space): string => ids.get(namespace) ?? ''

export const ROW = ['memory', 'memory_version', 'audit']

export const WRITE_CASES: readonly WriteCase[] = [
  {
    name: 'memory.set of a new claim with chunks, vectors and triples',
    run: (space, key) => space.call('memory.set', { memory_key: 'a', value: LONG, tags: ['x'], relations: [['a', 'is', 'b']] }, key),
    changes: [...ROW, 'memory_embedding', 'memory_chunk', 'memory_relation', 'namespace'],
  },
  {
    name: 'memory.set against another claim',
    before: held,
    run: (space, key) => space.call('memory.set', { memory_key: 'ops/deploys', value: AGAINST }, key),
    changes: [...ROW, 'memory_pair', 'memory_embedding'],
  },
  {
    name: 'memory.set that retires what it updates',
    before: async (space) => (await newestWins(space), held(space)),
    run: (space, key) => space.call('memory.set', { memory_key: 'ops/deploys', value: AGAINST }, key),
    changes: [...ROW, 'memory_embedding'],
  },
  {
    name: 'memory.set over a flagged row',
    before: contradiction,
    run: (space, key) => space.call('memory.set', { memory_key: 'ops/deploys', value: TEXT }, key),
    changes: [...ROW, 'memory_embedding', 'memory_pair'],
  },
  {
    name: 'memory.set with fewer chunks than before',
    before: (space) => space.set('ops/deploys', LONG),
    run: (space, key) => space.call('memory.set', { memory_key: 'ops/deploys', value: TEXT }, key),
    changes: [...ROW, 'memory_embedding', 'memory_chunk'],
  },
  {
    name: 'memory.set of what is stored',
    before: held,
    run: (space, key) => space.call('memory.set', { memory_key: 'deploy/window/prod', value: HELD, entities: ['prod'] }, key),
    changes: ['memory', 'memory_usage'],
  },
  {
    name: 'memory.set of what another key holds',
    before: held,
    run: (space, key) => space.call('memory.set', { memory_key: 'other', value: HELD.toUpperCase() }, key),
    changes: ['memory_usage'],
  },
  {
    name: 'memory.pin of what another key holds',
    before: held,
    run: (space, key) => space.call('memory.pin', { memory_key: 'other', value: HELD }, key),
    changes: ['memory', 'memory_usage', 'audit'],
  },
  { name: 'memory.pin of a new claim', run: (space, key) => space.call('memory.pin', { memory_key: 'p', value: TEXT }, key), changes: ROW },
  {
    name: 'memory.unpin',
    before: (space) => space.set('p', TEXT, { pinned: true }),
    run: (space, key) => space.call('memory.unpin', { memory_key: 'p' }, key),
    changes: ['memory', 'audit'],
  },
  {
    name: 'memory.update into a conflict',
    before: async (space) => (await held(space), space.set('ops/deploys', TEXT)),
    run: (space, key) => space.call('memory.update', { memory_key: 'ops/deploys', value: AGAINST }, key),
    changes: [...ROW, 'memory_pair', 'memory_embedding'],
  },
  {
    name: 'memory.update_by_id',
    before: async (space) => (await held(space), keepId(space, 'deploy/window/prod')),
    run: (space, key) => space.call('memory.update_by_id', { memory_id: keptId(space), value: TEXT }, key),
    changes: [...ROW, 'memory_embedding'],
  },
  {
    name: 'memory.bulk_set',
    before: held,
    run: (space) =>
      space.call('memory.bulk_set', {
        entries: [
          { memory_key: 'ops/deploys', value: AGAINST },
          { memory_key: 'deploy/window/prod', value: HELD },
          { memory_key: 'b', value: TEXT },
        ],
      }),
    several: true,
  },
  {
    name: 'memory.import',
    before: async (space) => (await held(space), space.call('namespace.register_category', { category: 'ops' })),
    run: (space) => space.call('memory.import', IMPORT),
    several: true,
  },
  {
    name: 'memory.touch',
    before: held,
    run: (space, key) => space.call('memory.touch', { memory_key: 'deploy/window/prod', until: '2030-01-01' }, key),
    changes: ['memory', 'audit'],
  },
  {
    name: 'memory.lock',
    before: held,
    run: (space, key) => space.call('memory.lock', { memory_key: 'deploy/window/prod', reason: 'r' }, key),
    changes: ['memory', 'audit'],
  },
  {
    name: 'memory.unlock',
    before: async (space) => (await held(space), space.call('memory.lock', { memory_key: 'deploy/window/prod', reason: 'r' })),
    run: (space, key) => space.call('memory.unlock', { memory_key: 'deploy/window/prod' }, key),
    changes: ['memory', 'audit'],
  },
  {
    name: 'memory.verify',
    before: held,
    run: (space, key) => space.call('memory.verify', { memory_key: 'deploy/window/prod' }, key),
    changes: ['memory', 'audit'],
  },
  {
    name: 'memory.link',
    before: async (space) => (await held(space), space.set('b', TEXT)),
    run: (space, key) => space.call('memory.link', { memory_key: 'deploy/window/prod', to_key: 'b', relation: 'supports' }, key),
    changes: ['memory_link', 'audit'],
  },
  {
    name: 'memory.assign_category',
    before: async (space) => (await held(space), space.call('namespace.register_category', { category: 'ops' })),
    run: (space, key) => space.call('memory.assign_category', { memory_key: 'deploy/window/prod', category: 'ops' }, key),
    changes: ['memory_category', 'audit'],
  },
  {
    name: 'memory.outcome that quarantines',
    before: async (space) => {
      await held(space)
      for (const run_id of ['r1', 'r2'])
        await space.call('memory.outcome', { memory_key: 'deploy/window/prod', run_id, outcome: 'negative' })
    },
    run: (space, key) => space.call('memory.outcome', { memory_key: 'deploy/window/prod', run_id: 'r3', outcome: 'negative' }, key),
    changes: [...ROW, 'memory_outcome', 'memory_usage'],
  },
  {
    name: 'memory.reject',
    before: contradiction,
    run: (space, key) => space.call('memory.reject', { memory_key: 'ops/deploys', reason: 'wrong' }, key),
    changes: ROW,
  },
  {
    name: 'memory.delete of a row that a summary is built from',
    before: async (space) => {
      const source = await held(space)
      const summary = await space.set('summary/deploys', 'A summary of the deploys.', { memory_type: 'episodic' })
      await sql`INSERT INTO loom.memory_summary (org, memory_id, version, source_id)
        VALUES ('dev', ${summary.memory_id}, ${summary.version}, ${source.memory_id})`.execute(space.loom.database.reader)
    },
    run: (space, key) => space.call('memory.delete', { memory_key: 'deploy/window/prod' }, key),
    changes: ROW,
  },
  {
    name: 'memory.delete_version',
    before: async (space) => (await held(space), keepVersion(space, 'deploy/window/prod')),
    run: (space, key) => space.call('memory.delete_version', { memory_key: 'deploy/window/prod', version: pastVersion(space) }, key),
    changes: ROW,
  },
  {
    name: 'memory.restore of a deleted row',
    before: async (space) => (await contradiction(space), space.call('memory.delete', { memory_key: 'ops/deploys' })),
    run: (space, key) => space.call('memory.restore', { memory_key: 'ops/deploys' }, key),
    changes: ROW,
  },
  {
    name: 'memory.restore of a superseded row',
    before: async (space) => (await newestWins(space), contradiction(space)),
    run: (space, key) => space.call('memory.restore', { memory_key: 'deploy/window/prod' }, key),
    changes: ROW,
  },
  {
    name: 'memory.move that leaves a redirect',
    before: async (space) => (
      await contradiction(space),
      space.call('memory.link', { memory_key: 'ops/deploys', to_key: 'deploy/window/prod', relation: 'supports' })
    ),
    run: (space, key) => space.call('memory.move', { memory_key: 'ops/deploys', to_key: 'ops/deploy-days' }, key),
    changes: [...ROW, 'memory_link', 'memory_embedding'],
  },
  {
    name: 'memory.move over a retired key, without a redirect',
    before: async (space) => (await held(space), await space.set('b', TEXT), space.call('memory.delete', { memory_key: 'b' })),
    run: (space, key) => space.call('memory.move', { memory_key: 'deploy/window/prod', to_key: 'b', keep_redirect: false }, key),
    changes: [...ROW, 'memory_embedding'],
  },
  {
    name: 'memory.clear',
    before: contradiction,
    run: (space) => space.call('memory.clear', { agent: 'default', confirm_subject: 'default' }),
    several: true,
  },
  {
    name: 'memory.redact',
    before: async (space) => {
      await space.set('door', `The door opens with XYZZY. ${LONG}`, { tags: ['door'] })
      await keepVersion(space, 'door')
      await space.set('door', 'The door opens with a badge.')
    },
    run: (space, key) => space.call('memory.redact', { memory_key: 'door', version: pastVersion(space), reason: 'a secret' }, key),
    changes: ['memory_version', 'audit'],
  },
  {
    name: 'memory.apply of a deletion',
    before: contradiction,
    run: (space) =>
      space.call('memory.apply', {
        agent: 'default',
        filter: { key_prefix: 'ops/' },
        limit: 10,
        action: 'delete',
        reason: 'r',
        dry_run: false,
      }),
    several: true,
  },
  {
    name: 'memory.apply of a label',
    before: contradiction,
    run: (space) =>
      space.call('memory.apply', {
        agent: 'default',
        keys: ['ops/deploys'],
        action: 'label',
        label: { tags: ['z'] },
        reason: 'r',
        dry_run: false,
      }),
    several: true,
  },
]
