import { expect } from 'vitest'
import { onEveryTransport } from '../helpers/transports.ts'

/** Copies, summaries, indexes and exports: the main promise of each operation, the same on every road. */

const AT = { namespace: 'roads', agent: 'scribe' } as const
const rug = { ...AT, memory_key: 'rug', value: 'The rug in the hall is red.' }
const lamp = { ...AT, memory_key: 'lamp', value: 'The lamp on the porch is brass.' }

onEveryTransport('memory.promote', 'lays a copy of a row on the shelf', async (call) => {
  const { version } = await call('memory.set', rug)
  expect(await call('memory.promote', { ...AT, memory_key: 'rug' })).toMatchObject({ promoted: true, shared_version: version })
  expect(await call('memory.promote', { ...AT, memory_key: 'none' })).toMatchObject({ promoted: false, reason: 'not_found' })
})

onEveryTransport('memory.cross_promote', 'lays one on the shelf of another namespace', async (call) => {
  await call('memory.set', rug)
  const crossed = await call('memory.cross_promote', { ...AT, memory_key: 'rug', to_namespace: 'roads-two' })
  expect(crossed).toMatchObject({ promoted: true, to_namespace: 'roads-two' })
  expect(await call('memory.get', { namespace: 'roads-two', agent: 'x', memory_key: 'rug' })).toMatchObject({ source: 'shared' })
  const same = call('memory.cross_promote', { ...AT, memory_key: 'rug', to_namespace: 'roads' })
  await expect(same).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', status: 422 })
})

onEveryTransport('memory.demote', 'takes a copy off the shelf', async (call) => {
  await call('memory.set', rug)
  await call('memory.promote', { ...AT, memory_key: 'rug' })
  expect(await call('memory.demote', { namespace: 'roads', memory_key: 'rug' })).toMatchObject({ demoted: true })
  expect(await call('memory.demote', { namespace: 'roads', memory_key: 'rug' })).toMatchObject({ demoted: false, reason: 'not_found' })
})

onEveryTransport('memory.copy_to', 'copies rows to another namespace', async (call) => {
  await call('memory.set', lamp)
  const answer = await call('memory.copy_to', { ...AT, keys: ['lamp', 'none'], to_namespace: 'roads-three', overwrite: true })
  expect(answer.skipped).toContainEqual({ memory_key: 'none', reason: 'not_found' })
  expect(await call('memory.get', { namespace: 'roads-three', agent: 'scribe', memory_key: 'lamp' })).toMatchObject({ value: lamp.value })
})

onEveryTransport('memory.consolidate', 'builds one row from several', async (call) => {
  await call('memory.set', rug)
  await call('memory.set', lamp)
  const answer = await call('memory.consolidate', { ...AT, keys: ['rug', 'lamp'] })
  expect(answer).toMatchObject({ summary_key: 'summary/rug', retired: [] })
  expect(answer.derived_from).toHaveLength(2)
})

onEveryTransport('memory.reindex', 'queues a job, once', async (call) => {
  const { job_id } = await call('memory.reindex', { namespace: 'roads-four' })
  expect(await call('memory.reindex', { namespace: 'roads-four' })).toMatchObject({ job_id })
})

onEveryTransport('namespace.export', 'answers whole rows of a section', async (call) => {
  const { version } = await call('memory.set', rug)
  const { rows } = await call('namespace.export', { namespace: 'roads', section: 'memory' })
  expect(rows.find((row) => row['memory_key'] === 'rug')).toMatchObject({ value: rug.value, version_text: version.toString() })
})

onEveryTransport('namespace.validate', 'says whether the namespace is in order', async (call) => {
  await call('memory.set', rug)
  expect(await call('namespace.validate', { namespace: 'roads', keys: ['rug', 'none'] })).toMatchObject({ missing_keys: ['none'] })
})
