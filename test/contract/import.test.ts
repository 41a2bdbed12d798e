import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { IMPORT_REASONS, ImportEntry, memoryImport } from '../../shared/contract/ops/memory/import.ts'

const reference = readFileSync(fileURLToPath(new URL('../../docs/operations.md', import.meta.url)), 'utf8')
const entry = /^## memory\.import$[^]*?(?=^## )/m.exec(reference)?.[0] ?? ''
const result = memoryImport.output.shape.results.element

describe('memory.import', () => {
  it('answers these outcomes and reasons and no other [IMP058, IMP063, IMP065]', () => {
    expect(result.shape.outcome.options).toEqual(['written', 'held', 'skipped', 'refused'])
    expect(IMPORT_REASONS).toEqual({
      written: ['', 'duplicate', 'conflicted', 'refines'],
      held: ['merge', 'identity_duplicate'],
      skipped: ['unchanged', 'sensitivity_kept', 'deleted', 'superseded', 'rejected', 'proposed', 'revised', 'repeated', 'unknown'],
      refused: ['blacklist', 'pinned', 'locked', 'pinned_peer'],
    })
    expect(result.shape.reason.options).toEqual(Object.values(IMPORT_REASONS).flat())
  })

  it('has these fields, which the reference names [IMP075]', () => {
    expect(Object.keys(memoryImport.input.shape)).toEqual([
      'org',
      'namespace',
      'agent',
      'user_id',
      'session_id',
      'run_id',
      'entries',
      'dry_run',
    ])
    expect(Object.keys(ImportEntry.shape)).toEqual(['text', 'tags', 'valid_at', 'source_trace', 'category', 'sensitivity'])
    expect(Object.keys(memoryImport.output.shape)).toEqual(['results', 'totals', 'dry_run', 'degraded'])
    expect(Object.keys(result.shape)).toEqual(['index', 'key', 'outcome', 'reason', 'held_by', 'note'])
    expect([...entry.matchAll(/^\| `([a-z0-9_.[\]]+)` /gm)].map(([, name]) => name)).toEqual(
      Object.keys(memoryImport.input.shape).flatMap((name) =>
        name === 'entries' ? ['entries', ...Object.keys(ImportEntry.shape).map((field) => `entries[].${field}`)] : [name],
      ),
    )
    const line = (start: string): string[] =>
      [...(entry.split('\n').find((one) => one.startsWith(start)) ?? '').slice(start.length).matchAll(/`([a-z_]+)` /g)].map(
        ([, name]) => name ?? '',
      )
    expect(line('Answers ')).toEqual([...Object.keys(memoryImport.output.shape), 'ignored_args', 'did_you_mean'])
    expect(line('`results[]`:')).toEqual(Object.keys(result.shape))
    expect(line('`totals`:')).toEqual(['written', 'held', 'skipped', 'refused'])
  })
})
