import { ambiguous, bad, cursor, HELD, LOCKED, OTHER, row, type Ground, type Made, type Refusal } from './refusal.ts'

/** Refusals of copies, summaries and the shelf, and of reads around a memory. */

const SUMMARY = 'summary/kitchen'
/** Two rows to sum up, and a row at the key of their summary. */
const summed =
  (more: object) =>
  async (ground: Ground): Promise<void> => {
    await row(ground, { memory_key: 'k/1', value: HELD })
    await row(ground, { memory_key: 'k/2', value: OTHER })
    await row(ground, { memory_key: SUMMARY, value: 'The garden gate is painted green.', ...more })
  }
const here = async ({ namespace }: Ground): Promise<Made> => ({ to_namespace: namespace })
const CONSOLIDATE = { keys: ['k/1', 'k/2'], summary_key: SUMMARY }

export const SHELF_CASES: readonly Refusal[] = [
  ambiguous('memory.backlinks'),
  ambiguous('memory.related'),
  ambiguous('memory.promote'),
  ambiguous('memory.cross_promote', { to_namespace: 'team' }),

  {
    op: 'memory.consolidate',
    code: 'PINNED_CONFLICT',
    what: 'a summary whose own row is pinned',
    before: summed({ pinned: true }),
    input: CONSOLIDATE,
    detail: { memory_key: SUMMARY },
  },
  {
    op: 'memory.consolidate',
    code: 'LOCKED',
    what: 'a summary whose own row is locked',
    async before(ground) {
      await summed({})(ground)
      const until = '2099-01-01T00:00:00Z'
      await ground.call('memory.lock', { memory_key: SUMMARY, mode: 'read_only', reason: 'audit of March', until })
    },
    input: CONSOLIDATE,
    detail: { ...LOCKED('read_only'), memory_key: SUMMARY },
  },

  cursor('memory.digests'),
  cursor('memory.search_trace', { query: 'deploys' }),
  cursor('namespace.export', { section: 'memory' }),

  bad('memory.backlinks', 'a key and an id', 'memory_key', { memory_key: 'k', memory_id: 'x' }),
  bad('memory.related', 'a key and an entity', 'memory_key', { memory_key: 'k', entity: 'Berlin' }),
  bad('memory.consolidate', 'two ways to name the sources', 'keys', { ...CONSOLIDATE, tag: 'kitchen' }),
  bad('memory.consolidate', 'sources of two users', 'user_id', CONSOLIDATE, async (ground) => {
    await row(ground, { memory_key: 'k/1', value: HELD })
    await row(ground, { memory_key: 'k/2', value: OTHER, user_id: 'u1' })
  }),
  bad('memory.copy_to', 'an org that this install is not connected to', 'to_org', { to_namespace: 'team', to_org: 'acme', keys: ['k'] }),
  bad('memory.copy_to', 'the namespace where the rows lie', 'to_namespace', ({ to_namespace }) => ({ to_namespace, keys: ['k'] }), here),
  bad(
    'memory.cross_promote',
    'the namespace where the row lies',
    'to_namespace',
    ({ to_namespace }) => ({ to_namespace, memory_key: 'k' }),
    here,
  ),
]
