import { describe, expect, it } from 'vitest'
import type { ReadRow } from '../../../../renderer/data/queries.ts'
import { fieldsOf, isUnchanged, problemsOf, putBackInput, setInput, type Fields } from '../../../../renderer/screens/write/form-input.ts'
import { memorySet } from '../../../../shared/contract/ops/memory/set.ts'

const blank: Fields = { namespace: 'local', text: 'A claim.', key: '', tags: [], type: 'semantic', since: '', until: '' }

const row = {
  found: true,
  org: 'dev',
  namespace: 'local',
  agent: 'ops-bot',
  user_id: '-',
  session_id: '-',
  memory_key: 'deploy/window',
  memory_id: 'id-1',
  value: 'Deploys run on Tuesday.',
  memory_type: 'semantic',
  content_sha256: 'abc',
  tags: ['deploy'],
  entities: ['production'],
  files: [],
  relations: [{ subject: 'a', predicate: 'b', object: 'c' }],
  sensitivity: '',
  valid_at: '2026-09-01T10:00:00.000Z',
  valid_to: null,
} as unknown as ReadRow

describe('problemsOf', () => {
  it('lets a good form through, and says each thing that stands against a bad one', () => {
    expect(problemsOf(blank, 'a/b', false)).toEqual({})
    const bad = problemsOf({ ...blank, namespace: 'No Spaces', tags: [''], since: '2026-02-01', until: '2026-01-01' }, ' a', false)
    expect(Object.keys(bad).toSorted()).toEqual(['key', 'namespace', 'tags', 'until'])
    expect(problemsOf({ ...blank, text: '{"a":' }, 'a', true).text).toMatch(/JSON/)
    expect(problemsOf({ ...blank, text: 'nul \0 byte' }, 'a', false).text).toBeDefined()
    expect(problemsOf(blank, 'db/password is violet-harbour-41', false).key).toMatch(/secret/)
    expect(problemsOf({ ...blank, text: '???' }, '', false).key).toMatch(/key/)
  })
})

describe('setInput', () => {
  it('is a call that the contract takes, for a new key', () => {
    const input = setInput({ ...blank, text: ' A claim. ', tags: ['x'], since: '2026-09-01' }, 'a/b', {
      row: null,
      byKey: false,
      json: false,
    })
    expect(memorySet.input.safeParse(input).success).toBe(true)
    expect(input).toMatchObject({ namespace: 'local', memory_key: 'a/b', value: 'A claim.', tags: ['x'], valid_at: '2026-09-01' })
    expect(input).not.toHaveProperty('if_match_sha256')
  })

  it('keeps what a changed value would drop, under the hash it was made on', () => {
    const input = setInput({ ...fieldsOf(row), text: 'Deploys run on Monday.' }, row.memory_key, { row, byKey: false, json: false })
    expect(input).toMatchObject({
      agent: 'ops-bot',
      if_match_sha256: 'abc',
      entities: ['production'],
      relations: [['a', 'b', 'c']],
      tags: ['deploy'],
      valid_at: '2026-09-01T10:00:00.000Z',
    })
    expect(memorySet.input.safeParse(input).success).toBe(true)
  })

  it('fills what the form leaves open when a row is met by its key', () => {
    const input = setInput(blank, row.memory_key, { row, byKey: true, json: false })
    expect(input.tags).toEqual(['deploy'])
    expect(setInput(blank, row.memory_key, { row, byKey: false, json: false }).tags).toEqual([])
  })

  it('writes JSON back as JSON, digits and all', () => {
    const input = setInput({ ...blank, text: '{"n": 12345678901234567890}' }, 'a', { row: null, byKey: false, json: true })
    expect(input.value).toEqual({ n: 12_345_678_901_234_567_890n })
  })

  it('puts a row back only where nobody wrote since', () => {
    expect(putBackInput(row, 'new-hash')).toMatchObject({ value: 'Deploys run on Tuesday.', if_match_sha256: 'new-hash', tags: ['deploy'] })
  })
})

describe('isUnchanged', () => {
  it('compares what would be stored', () => {
    expect(isUnchanged({ ...fieldsOf(row), tags: ['Deploy'] }, row)).toBe(true)
    expect(isUnchanged({ ...fieldsOf(row), text: 'Other.' }, row)).toBe(false)
  })
})
