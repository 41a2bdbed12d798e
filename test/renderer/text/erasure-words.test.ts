import { describe, expect, it } from 'vitest'
import { STEPS } from '../../../shared/engine/erasure/store.ts'
import { STORES } from '../../../shared/engine/erasure/stores.ts'
import { countLines, failureOf, namesIn, nextTry, scopeName, stepLines } from '../../../renderer/text/erasure-words.ts'

describe('what will go, in a dozen lines', () => {
  it('leaves no store out: the lines are the sum of the census', () => {
    const counts = Object.fromEntries(STORES.map((store, at) => [store.key, at + 1]))
    const lines = countLines(counts)
    expect(lines.reduce((sum, line) => sum + line.amount, 0)).toBe(Object.values(counts).reduce((sum, amount) => sum + amount, 0))
    expect(lines).toHaveLength(12)
  })

  it('names what people know, and sums up the rest', () => {
    const lines = countLines({ 'pg:memory': 4, 'pg:memory_link': 2, 'pg:memory_pair': 1, 'pg:idempotency': 9, 'pg:of_tomorrow': 1 })
    expect(lines.filter((line) => line.amount > 0)).toEqual([
      { name: 'Memories', amount: 4 },
      { name: 'Links and pairs', amount: 3 },
      { name: 'Everything else', amount: 10 },
    ])
  })
})

describe('the steps', () => {
  it('are those of the saga, in its order', () => {
    expect(stepLines(0, { scope_type: 'user_id', purge: true }).map((line) => line.step)).toEqual([...STEPS])
  })

  it('are done, under way or to come, and say which have nothing to do', () => {
    const lines = stepLines(2, { scope_type: 'namespace', purge: false })
    expect(lines.slice(0, 4).map((line) => line.state)).toEqual(['done', 'done', 'now', 'next'])
    const idle = (scope_type: string, purge: boolean) =>
      stepLines(19, { scope_type, purge })
        .filter((line) => line.isIdle)
        .map((line) => line.step)
    expect(idle('namespace', false)).toEqual(['delete.tokens', 'scrub.audit', 'purge.vacuum'])
    expect(idle('user_id', true)).toEqual(['delete.snapshots'])
    expect(stepLines(19, { scope_type: 'user_id', purge: true }).every((line) => line.state === 'done')).toBe(true)
  })
})

describe('why an erasure stopped', () => {
  const why = (reason: string) => failureOf(reason, 'en-GB')

  it('names the step, and what was left', () => {
    expect(why('verify.residue: ErasureResidueError: residue after erasure: pg:memory=2, backups=1')).toEqual({
      step: 'Count what is left',
      why: 'something was left when it was counted: memories (2), everything else (1).',
      isGivenUp: false,
    })
  })

  it('says what a Loom error says, and of any other what kind it was', () => {
    expect(why('external.erasers: UNAVAILABLE: The external eraser x answered 500.')).toMatchObject({
      step: 'Systems outside Loom',
      why: 'The external eraser x answered 500.',
    })
    expect(why('delete.memory: TypeError').why).toContain('(TypeError)')
    expect(why('purge.vacuum: STORAGE_FULL: No room.').why).toContain('disk is full')
    expect(why('the saga failed; the error is in the server log')).toMatchObject({ step: '', isGivenUp: false })
  })

  it('knows when it is not tried again by itself', () => {
    expect(why('max_attempts (5) exceeded; last: delete.blobs: UNAVAILABLE: the file store did not answer')).toEqual({
      step: 'Originals',
      why: 'the file store did not answer.',
      isGivenUp: true,
    })
    expect(why('max_attempts (5) exceeded').isGivenUp).toBe(true)
  })

  it('waits 1, 5, 15 and 60 minutes', () => {
    const at = '2026-09-20T12:00:00.000Z'
    expect([1, 2, 3, 4, 5].map((attempts) => nextTry(at, attempts).slice(11, 16))).toEqual(['12:01', '12:05', '12:15', '13:00', '13:00'])
  })
})

describe('what an erasure is about', () => {
  it('is named as people know it', () => {
    expect(scopeName({ scope_type: 'user_id', scope_value: 'u-58' }, 'en-GB')).toBe('u-58')
    expect(scopeName({ scope_type: 'namespace_list', scope_value: '["a","b"]' }, 'en-GB')).toBe('a, b')
    const many = JSON.stringify({ namespaces: ['a', 'b', 'c', 'd', 'e'], purge: true })
    expect(scopeName({ scope_type: 'namespace_list', scope_value: many }, 'en-GB')).toBe('a, b, c and 2 more')
    expect(namesIn('no list')).toEqual(['no list'])
  })
})
