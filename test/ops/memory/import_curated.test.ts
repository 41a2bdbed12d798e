import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf, OutputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores } from '../../helpers/store-counts.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const FILE = 'docs/handbook.md'

let loom: TestEngine
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

const section = (heading: string, body: string): string => `## ${heading}\n\n${body}\n\n`

/** A namespace of its own for each test. */
function space() {
  const namespace = `c${++spaces}`
  return {
    namespace,
    take: (markdown: string, more: Partial<CallInputOf<'memory.import_curated'>> = {}) =>
      loom.call('memory.import_curated', { namespace, markdown, source_resource_id: FILE, ...more }),
    get: (memory_key: string) => loom.call('memory.get', { namespace, memory_key, follow: false }),
  }
}

const told = ({ results }: OutputOf<'memory.import_curated'>) => results.map(({ outcome, reason }) => `${outcome} ${reason}`.trim())

describe('memory.import_curated', () => {
  it('makes one memory of each heading of level 2, deeper ones inside [CUR001, CUR002, CUR003]', async () => {
    const { namespace, take, get } = space()
    const markdown = `# Handbook\n\nBy hand.\n\n${section('Office', 'The office is in Porto.\n\n### Keys\n\nKim has them.')}${section('Lift', 'Otis serves it.')}## Roof\n`
    const answer = await take(markdown, { tags: ['hand'], run_id: 'r1' })
    expect(answer).toMatchObject({
      totals: { written: 3, revised: 0, held: 0, skipped: 0, refused: 0 },
      missing: [],
      unused_chars: 8,
      dry_run: false,
    })
    const { rows } = await loom.call('memory.list', { namespace })
    expect(rows.map((row) => row.memory_key).sort()).toEqual(['handbook/lift', 'handbook/office', 'handbook/roof'])
    expect(await get('handbook/office')).toMatchObject({
      value: 'Office\n\nThe office is in Porto.\n\n### Keys\n\nKim has them.',
      tags: ['hand'],
      source_class: 'imported',
      source_trace: 'Handbook > Office',
      source_resource_id: FILE,
      run_id: 'r1',
      memory_type: 'semantic',
    })
    expect(await get('handbook/roof')).toMatchObject({ value: 'Roof' })
    const deeper = await take(markdown, { heading_level: 3, key_prefix: 'notes/', source_resource_id: '' })
    expect(deeper.results).toMatchObject([{ key: 'notes/office/keys', heading: 'Keys', line: 9, outcome: 'written' }])
    await loom.engine.runDueJobs()
    const { rows: axes } = await sql<{ axis: string }>`SELECT e.axis FROM loom.memory_embedding e JOIN loom.memory m USING (org, memory_id)
      WHERE m.namespace = ${namespace} AND m.memory_key = 'handbook/lift' ORDER BY e.axis`.execute(loom.database.reader)
    expect(axes.map((row) => row.axis)).toEqual(['key', 'value'])
  })

  it('again: revises what changed, leaves the rest, names what is gone [CUR004]', async () => {
    const { take, get } = space()
    const first = await take(
      section('Office', 'The office is in Porto.') + section('Lift', 'Otis serves it.') + section('Roof', 'Tarred in August.'),
      { tags: ['a'] },
    )
    expect(told(first)).toEqual(['written', 'written', 'written'])
    const before = await get('handbook/office')
    const next = section('Lift', 'Kone serves it.') + section('Office', 'The office is in Porto.') + section('Gate', 'The gate squeaks.')
    const dry = await take(next, { dry_run: true })
    expect(await get('handbook/lift')).toMatchObject({ value: 'Lift\n\nOtis serves it.' })
    const answer = await take(next)
    expect({ ...dry, dry_run: false }).toEqual(answer)
    expect(answer.results.map(({ key, outcome, reason, status }) => [key, outcome, reason, status])).toEqual([
      ['handbook/lift', 'revised', '', 'active'],
      ['handbook/office', 'skipped', 'unchanged', 'active'],
      ['handbook/gate', 'written', '', 'active'],
    ])
    expect(answer.missing).toEqual(['handbook/roof'])
    expect(await get('handbook/lift')).toMatchObject({ value: 'Lift\n\nKone serves it.', tags: ['a'], source_class: 'imported' })
    expect((await get('handbook/office')).version).toBe(before.version)
    expect(await get('handbook/roof')).toMatchObject({ found: true, status: 'active' })
  })

  it('again: leaves what was taken out of use, and what a pin or a lock keeps [CUR004]', async () => {
    const { namespace, take, get } = space()
    const names = ['Deleted', 'Rejected', 'Pinned', 'Locked']
    const file = (end: string): string => names.map((name, at) => section(name, `Meter ${at} of the ${name} hall hangs ${end}.`)).join('')
    await take(file('high'))
    await loom.call('memory.delete', { namespace, memory_key: 'handbook/deleted' })
    await loom.call('memory.reject', { namespace, memory_key: 'handbook/rejected' })
    await loom.call('memory.pin', { namespace, memory_key: 'handbook/pinned', value: (await get('handbook/pinned')).value as string })
    await loom.call('memory.lock', { namespace, memory_key: 'handbook/locked', reason: 'kept' })
    expect(told(await take(file('high')))).toEqual(['skipped deleted', 'skipped rejected', 'skipped unchanged', 'skipped unchanged'])
    const answer = await take(file('low'))
    expect(answer.results.map(({ outcome, reason, status }) => [outcome, reason, status])).toEqual([
      ['skipped', 'deleted', 'tombstoned'],
      ['skipped', 'rejected', 'rejected'],
      ['refused', 'pinned', 'active'],
      ['refused', 'locked', 'active'],
    ])
    expect(answer.missing).toEqual([])
  })

  it('judges each section, and is refused by the blacklist and a pinned peer [CUR004]', async () => {
    const { namespace, take } = space()
    await loom.call('memory.set', { namespace, memory_key: 'held', value: 'Lift\n\nOtis serves it.' })
    await loom.call('memory.pin', { namespace, memory_key: 'deploy', value: HELD })
    await loom.call('blacklist.add', { namespace, pattern: 'heron' })
    const answer = await take(
      `${section('Lift', 'Otis serves it.')}## Word\n\nThe word is Heron.\n\n## Production deploys run Monday to Thursday.\n`,
    )
    expect(answer.results).toMatchObject([
      { outcome: 'held', reason: 'merge', held_by: 'held', status: 'active', conflict_verdict: 'merge' },
      { outcome: 'refused', reason: 'blacklist', status: '' },
      { outcome: 'refused', reason: 'pinned_peer', status: 'rejected', conflict_verdict: 'rejected' },
    ])
    expect(answer.totals).toEqual({ written: 0, revised: 0, held: 1, skipped: 0, refused: 2 })
  })

  it('writes nothing of a file without such headings, or with too many [CUR004]', async () => {
    const { take } = space()
    const before = await countStores(loom.database)
    expect(await take('Only text.\n')).toMatchObject({ results: [], unused_chars: 10, missing: [] })
    await expect(take('## A\n'.repeat(1001))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'markdown' } })
    await expect(take('## A\n', { key_prefix: 'p'.repeat(512) })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: { field: 'key_prefix' },
    })
    await expect(take('## A\n', { heading_level: 7 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: { field: 'heading_level' },
    })
    expect(await countStores(loom.database)).toEqual(before)
  })
})
