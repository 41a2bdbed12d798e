import { expect, test } from 'vitest'
import { onEveryTransport, rpc, serveEngine, testEngine, type OpCall } from '../helpers/transports.ts'

/** The main promise of each bulk, review and blacklist operation, the same on every road. */

const HELD = { memory_key: 'deploy/window/prod', value: 'Production deploys run Tuesday and Thursday only; never Friday.' }
const AGAINST = { memory_key: 'ops/deploys', value: 'Production deploys run Monday to Thursday.' }
const TEXT = 'The archive is rebuilt every night.'

async function contradict(call: OpCall): Promise<void> {
  await call('memory.set', HELD)
  await call('memory.set', AGAINST)
}
async function repeat(call: OpCall): Promise<void> {
  await call('memory.set', { memory_key: 'fact/a', value: TEXT, run_id: 'r1' })
  await call('memory.set', { memory_key: 'fact/b', value: TEXT, run_id: 'r2' })
}

onEveryTransport('memory.bulk_set', 'stores many claims, each judged; over MCP it is refused by name [BLK003]', async (call) => {
  const bulk = call('memory.bulk_set', { entries: [HELD, AGAINST] })
  const answer = await bulk.catch((error: unknown) => error)
  if (answer instanceof Error) expect(answer).toMatchObject({ code: 'FORBIDDEN', fields: { operation: 'memory.bulk_set' } })
  else
    expect(answer).toMatchObject({
      written: [
        { index: 0, status: 'active' },
        { index: 1, status: 'conflicted' },
      ],
      unchecked: 0,
    })
})

test('memory.bulk_set is no tool of MCP, listed or through loom_op [BLK003]', async () => {
  const server = await serveEngine(await testEngine())
  const listed = await rpc(`${server.url}/mcp?toolset=all`, 'tools/list', {})
  const names = ((listed.body.result?.['tools'] ?? []) as { name: string }[]).map((tool) => tool.name)
  expect(names).toContain('loom_memory_set')
  expect(names).not.toContain('loom_memory_bulk_set')
  for (const [name, args] of [
    ['loom_memory_bulk_set', { entries: [HELD] }],
    ['loom_op', { op: 'memory.bulk_set', arguments: { entries: [HELD] } }],
  ] as const) {
    const { body } = await rpc(`${server.url}/mcp`, 'tools/call', { name, arguments: args })
    expect(body.result).toMatchObject({ isError: true, structuredContent: { detail: { code: 'FORBIDDEN' } } })
  }
  await server.close()
})

onEveryTransport('conflicts.list', 'shows contradictions with both sides', async (call) => {
  await contradict(call)
  const { pairs, total } = await call('conflicts.list', {})
  expect(pairs).toMatchObject([{ kind: 'conflict', row: { memory_key: 'ops/deploys' }, peer: { memory_key: 'deploy/window/prod' } }])
  expect([total, typeof pairs[0]?.row.version]).toEqual([1, 'bigint'])
})

onEveryTransport('conflicts.resolve', 'settles a contradiction, and takes it back', async (call) => {
  await contradict(call)
  const done = await call('conflicts.resolve', { memory_key: 'ops/deploys', resolution: 'keep_peer' })
  expect(done).toMatchObject({ resolved: true, tombstoned: { memory_key: 'ops/deploys' } })
  expect(await call('conflicts.resolve', { pair_id: done.pair_id, resolution: 'reopen' })).toMatchObject({
    resolved: true,
    kept: [{ status: 'conflicted' }, { status: 'active' }],
  })
})

onEveryTransport('memory.dedup_resolve', 'settles a duplicate', async (call) => {
  await repeat(call)
  expect(await call('memory.dedup_resolve', { memory_key: 'fact/b', keep: 'canonical' })).toMatchObject({
    resolved: true,
    tombstoned: { memory_key: 'fact/b' },
  })
})

onEveryTransport('memory.dedup_collapse', 'shows rows that say the same as one result', async (call) => {
  await repeat(call)
  const { groups, collapsed } = await call('memory.dedup_collapse', {})
  expect(groups).toMatchObject([{ canonical: { memory_key: 'fact/a' }, members: [{ memory_key: 'fact/b' }] }])
  expect(collapsed).toBe(1)
})

onEveryTransport('memory.resolve_orphan_duplicates', 'revives a duplicate whose canonical row is gone', async (call) => {
  await repeat(call)
  await call('memory.delete', { memory_key: 'fact/a' })
  expect(await call('memory.resolve_orphan_duplicates', {})).toMatchObject({ count: 1, reactivated: [{ memory_key: 'fact/b' }] })
})

onEveryTransport('memory.auto_retirements', 'tells what was retired by itself, with its undo', async (call) => {
  await call('namespace.register', { default_conflict_policy: 'newest_wins' })
  await contradict(call)
  const { rows } = await call('memory.auto_retirements', {})
  expect(rows).toMatchObject([{ memory_key: 'deploy/window/prod', cause: 'refines', undo: { op: 'memory.restore' } }])
})

onEveryTransport('review.queue', 'holds what waits to be settled', async (call) => {
  await contradict(call)
  const { items, counts } = await call('review.queue', {})
  expect(items).toMatchObject([{ kind: 'conflict', actions: [{ action: 'keep_row' }, {}, {}, {}] }])
  expect(counts).toMatchObject({ conflict: 1, total: 1 })
})

onEveryTransport('review.dismiss', 'knows nothing of an item that is not there', async (call) => {
  expect(await call('review.dismiss', { item_id: 'p_a_b' })).toEqual({ found: false, dismissed: false })
})

onEveryTransport('blacklist.list', 'lists what binds a namespace', async (call) => {
  await call('blacklist.add', { pattern: 'forbidden phrase' })
  expect(await call('blacklist.list', { scope: 'namespace' })).toMatchObject({
    patterns: [{ pattern: 'forbidden phrase', hits: 0 }],
    next_cursor: null,
  })
})

onEveryTransport('blacklist.remove', 'takes a pattern away', async (call) => {
  const { blacklist_id } = await call('blacklist.add', { pattern: 'forbidden phrase' })
  expect(await call('blacklist.remove', { blacklist_id })).toEqual({ removed: true })
  expect(await call('blacklist.remove', { blacklist_id })).toEqual({ removed: false })
})

onEveryTransport('blacklist.sweep', 'retires what matches already', async (call) => {
  await call('memory.set', { memory_key: 'a', value: 'This holds a forbidden phrase.' })
  await call('blacklist.add', { pattern: 'forbidden phrase' })
  expect(await call('blacklist.sweep', {})).toMatchObject({ matched: 1, swept: 1, examples: [{ memory_key: 'a' }] })
})
