import { expect, test } from 'vitest'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { onEveryTransport, ROADS, rpc, serveEngine, testEngine, type OpCall } from '../helpers/transports.ts'

/** Time, settings and the audit log: the main promise of each operation, the same on every road. */

const fact = { memory_key: 'team/lead', value: 'Ada leads the platform team.', tags: ['people'], entities: ['Ada'], files: ['src/team.ts'] }
const store = (call: OpCall) => call('memory.set', fact)

onEveryTransport('audit.list', 'tells of a write, and never its value', async (call) => {
  const { memory_id, version } = await store(call)
  const { rows, chain } = await call('audit.list', { memory_key: fact.memory_key, verify: true })
  expect(rows).toMatchObject([{ op: 'memory.set', memory_id, version, origin: 'local' }])
  expect(JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))).not.toContain('Ada')
  expect(chain).toMatchObject({ ok: true })
})

onEveryTransport('memory.timeline', 'tells facts in the order in which they became true', async (call) => {
  await call('memory.set', { memory_key: 'b', value: 'The second team was founded.', valid_at: '2024-01-01' })
  await call('memory.set', { memory_key: 'a', value: 'The first office was opened.', valid_at: '2020-01-01' })
  const { rows } = await call('memory.timeline', {})
  expect(rows.map((row) => row.memory_key)).toEqual(['a', 'b'])
})

onEveryTransport('memory.for_file', 'serves the facts of a file', async (call) => {
  await store(call)
  expect(await call('memory.for_file', { path: 'src/team.ts' })).toMatchObject({ rows: [{ memory_key: fact.memory_key, match: 'exact' }] })
})

onEveryTransport('memory.inspect', 'shows what the engine holds of a row', async (call) => {
  const { version } = await store(call)
  const seen = await call('memory.inspect', { memory_key: fact.memory_key })
  expect(seen).toMatchObject({ found: true, row: { version }, index: { embedded: true }, verdict: { verdict: 'clear' } })
})

onEveryTransport('memory.stats', 'counts what is there', async (call) => {
  await store(call)
  expect(await call('memory.stats', {})).toMatchObject({ total: 1, by_tag: [{ name: 'people', count: 1 }] })
})

onEveryTransport('namespace.get', 'answers the settings in force', async (call, namespace) => {
  await call('namespace.register', { conflict_threshold: 0.5, retention: { episodic: { ttl_seconds: 60 } } })
  expect(await call('namespace.get', {})).toMatchObject({
    namespace,
    registered: true,
    settings: { conflict_threshold: 0.5, retention: { episodic: { ttl_seconds: 60, on_expire: 'tombstone' } } },
  })
})

onEveryTransport('namespace.taxonomy', 'lists tags and entities', async (call) => {
  await store(call)
  expect(await call('namespace.taxonomy', {})).toMatchObject({
    tags: [{ tag: 'people', count: 1 }],
    entities: [{ entity: 'ada', count: 1 }],
  })
})

onEveryTransport('namespace.audit', 'reports on the health of a namespace', async (call) => {
  await call('memory.set', { ...fact, memory_key: 'deadbeefdeadbeef' })
  expect(await call('namespace.audit', {})).toMatchObject({ rows: 1, hash_keys: ['deadbeefdeadbeef'] })
})

onEveryTransport('namespace.snapshot', 'names a point in time', async (call) => {
  await store(call)
  const made = await call('namespace.snapshot', { name: 'now' })
  expect(made).toMatchObject({ name: 'now', counts: { by_status: { active: 1 } } })
  expect(made.version_text).toBe(made.version.toString())
})

onEveryTransport('namespace.snapshots', 'lists the points in time', async (call) => {
  await call('namespace.snapshot', { name: 'first' })
  expect(await call('namespace.snapshots', {})).toMatchObject({ snapshots: [{ name: 'first', automatic: false }], next_cursor: null })
})

onEveryTransport('namespace.rollback', 'takes keys back to a past state', async (call) => {
  const to = '2020-01-01T00:00:00Z'
  await store(call)
  expect(await call('namespace.rollback', { to, reason: 'a look' })).toMatchObject({ dry_run: true, tombstoned: 1 })
  expect(await call('namespace.rollback', { to, reason: 'before all', dry_run: false })).toMatchObject({ tombstoned: 1, refused_count: 0 })
  expect(await call('memory.get', { memory_key: fact.memory_key })).toMatchObject({ found: false, reason: 'deleted' })
})

onEveryTransport('namespace.restore', 'brings a namespace back to a snapshot', async (call) => {
  await store(call)
  const { snapshot_id } = await call('namespace.snapshot', {})
  await call('memory.update', { memory_key: fact.memory_key, value: 'Grace leads the platform team.' })
  expect(await call('namespace.restore', { snapshot_id, reason: 'undo', dry_run: false })).toMatchObject({ revised: 1 })
  expect(await call('memory.get', { memory_key: fact.memory_key })).toMatchObject({ value: fact.value })
})

onEveryTransport('memory.get', 'reads the past', async (call) => {
  await store(call)
  expect(await call('memory.get', { memory_key: fact.memory_key, as_of: '2020-01-01', as_of_basis: 'knowledge_time' })).toMatchObject({
    found: false,
  })
})

test('[AUD007] a call leaves the same audit rows over MCP as over HTTP', async () => {
  const engine = await testEngine()
  const left: object[][] = []
  for (const road of ['http', 'mcp']) {
    const { call, close } = await ROADS[road]!(engine)
    const namespace = `audit-${road}`
    const at = { namespace, agent: 'auditor', memory_key: 'k' }
    await call('memory.set', { ...at, value: 'The boat is red.' })
    await call('memory.lock', { ...at, reason: 'hold' })
    await call('memory.unlock', at)
    await call('memory.delete', at)
    const { rows } = (await call('audit.list', { namespace })) as { rows: Record<string, unknown>[] }
    left.push(
      rows.map(({ op, subject, memory_key, content_sha256, source_class, conflict_verdict, origin, seal }) => ({
        op,
        subject,
        memory_key,
        content_sha256,
        source_class,
        conflict_verdict,
        origin,
        seal,
      })),
    )
    await close?.()
  }
  const strip = (rows: object[]) => rows.map((row) => ({ ...row, source_class: '' }))
  expect(left[0]).toHaveLength(4)
  expect(strip(left[1]!)).toEqual(strip(left[0]!))
})

test('[KEY025] char_limit is in no tool schema, and in the operation’s own', async () => {
  const server = await serveEngine(await testEngine())
  try {
    const { body } = await rpc(`${server.url}/mcp?toolset=all`, 'tools/list', {})
    const tools = (body.result as unknown as { tools: { name: string; inputSchema: { properties: object } }[] }).tools
    expect(tools.map((tool) => tool.name)).toContain('loom_memory_set')
    expect(tools.filter((tool) => 'char_limit' in tool.inputSchema.properties).map((tool) => tool.name)).toEqual([])
    expect('char_limit' in REGISTRY['memory.set'].input.shape).toBe(true)
  } finally {
    await server.close()
  }
})

test('[KEY023] a body of 32 MiB is read, and one byte more is refused with 413', async () => {
  const server = await serveEngine(await testEngine())
  const call = JSON.stringify({ namespace: 'cap', memory_key: 'cap', value: 'At the very limit.' })
  const send = (bytes: number) =>
    fetch(`${server.url}/v1/memory.set`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: call.padEnd(bytes, ' ') })
  try {
    expect((await send(32 * 1024 * 1024)).status).toBe(200)
    const refused = await send(32 * 1024 * 1024 + 1)
    expect(refused.status).toBe(413)
    expect(await refused.json()).toMatchObject({ detail: { code: 'PAYLOAD_TOO_LARGE' } })
  } finally {
    await server.close()
  }
})
