import { expect, test } from 'vitest'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { onEveryTransport, rpc, serveEngine, testEngine } from '../helpers/transports.ts'

/** What comes from elsewhere: the main promise of each operation, the same on every road. */

const TEA = 'Ada prefers tea.'
const KEY = 'import:b38a5228f3971be99ca2e8fb'

onEveryTransport('memory.import', 'stores what another system knew, once', async (call) => {
  const entries = [{ text: TEA, tags: ['pref'], valid_at: '2025-03-01', source_trace: 'mem0/81', category: 'preferences' }]
  const result = { index: 0, key: KEY, outcome: 'written', reason: '', note: 'category_unregistered' }
  expect(await call('memory.import', { entries })).toMatchObject({ results: [result], totals: { written: 1 }, dry_run: false })
  expect(await call('memory.get', { memory_key: KEY })).toMatchObject({ value: TEA, source_class: 'imported', source_trace: 'mem0/81' })
  expect((await call('memory.import', { entries })).results).toEqual([{ ...result, outcome: 'skipped', reason: 'unchanged' }])
  const other = call('memory.import', { entries: [...entries, { text: TEA }] })
  await expect(other).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', status: 422, fields: { fields: ['entries[0]', 'entries[1]'] } })
})

test('memory.import is on no list of tools, and is called by name; its description warns of secrets [IMP011, IMP074]', async () => {
  const server = await serveEngine(await testEngine())
  const listed = await rpc(`${server.url}/mcp?toolset=all`, 'tools/list', {})
  const names = ((listed.body.result?.['tools'] ?? []) as { name: string }[]).map((tool) => tool.name)
  expect(names).toContain('loom_memory_import_curated')
  expect(names).not.toContain('loom_memory_import')
  const args = { namespace: 'by-name', entries: [{ text: TEA }] }
  const { body } = await rpc(`${server.url}/mcp`, 'tools/call', { name: 'loom_memory_import', arguments: args })
  expect(body.result).toMatchObject({ structuredContent: { totals: { written: 1 } } })
  const { advice } = REGISTRY['memory.import']
  expect(advice).toMatch(/Import no secrets.*anyone who sees the key can confirm a guessed text/)
  await server.close()
})

onEveryTransport('memory.import_curated', 'makes a memory of each heading', async (call) => {
  const markdown = '# Runbook\n\nKept by hand.\n\n## Deploys\n\nTuesday and Thursday.\n\n## Alerts\n\nGo to Kim.\n'
  const answer = await call('memory.import_curated', { markdown, source_resource_id: 'docs/runbook.md' })
  expect(answer.results).toMatchObject([
    { index: 0, key: 'runbook/deploys', heading: 'Deploys', line: 5, outcome: 'written', status: 'active', conflict_verdict: 'clear' },
    { index: 1, key: 'runbook/alerts', heading: 'Alerts', line: 9, outcome: 'written' },
  ])
  expect(answer).toMatchObject({ totals: { written: 2, skipped: 0 }, missing: [], unused_chars: 13, dry_run: false })
  expect(await call('memory.get', { memory_key: 'runbook/deploys' })).toMatchObject({
    value: 'Deploys\n\nTuesday and Thursday.',
    source_class: 'imported',
    source_trace: 'Runbook > Deploys',
    source_resource_id: 'docs/runbook.md',
  })
})
