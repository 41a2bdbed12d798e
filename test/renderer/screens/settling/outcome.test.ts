import { describe, expect, it } from 'vitest'
import { LoomError } from '../../../../shared/contract/errors.ts'
import type { OpenPair } from '../../../../renderer/data/pair.ts'
import { outcomeOf, refusalOf, saidOf } from '../../../../renderer/screens/settling/outcome.ts'

type Answer = Parameters<typeof outcomeOf>[0]

const answer = (more: Partial<Answer>): Answer => ({
  found: true,
  resolved: true,
  reason: '',
  pair_id: 'p',
  kept: [],
  tombstoned: null,
  open_left: 0,
  noop: false,
  dry_run: false,
  undo: null,
  ...more,
})

describe('what became of a choice', () => {
  it('is done, or the pair is gone and does not come back', () => {
    expect(outcomeOf(answer({})).done).toBe(true)
    for (const reason of ['not_found', 'settled', 'stale'] as const) {
      expect(outcomeOf(answer({ resolved: false, reason }))).toMatchObject({ done: false, gone: true })
    }
  })

  it.each([
    [
      'a lock',
      new LoomError('LOCKED', 'x', { memory_key: 'deploy', locked_by: 'human:lena', reason: 'policy' }),
      /deploy is locked by lena \(policy\)/,
    ],
    ['a pin', new LoomError('PINNED_CONFLICT', 'x', { memory_key: 'deploy' }), /deploy is pinned/],
    [
      'a pin against the merged text',
      new LoomError('PINNED_CONFLICT', 'x', { peers: [{ memory_key: 'policy' }] }),
      /policy is pinned, and says otherwise/,
    ],
    ['a newer text', new LoomError('PRECONDITION_FAILED', 'x'), /changed since it was read/],
    ['another refusal', new LoomError('BLACKLISTED', 'A pattern forbids it.'), /^Nothing was changed\. A pattern forbids it\.$/],
    ['no answer', new TypeError('Failed to fetch'), /^Nothing was changed\. Failed to fetch$/],
  ])('puts the choice back after %s, and says why', (_what, error, words) => {
    const outcome = refusalOf(error)
    expect(outcome).toMatchObject({ done: false, gone: false })
    expect(outcome.done ? '' : outcome.why).toMatch(words)
  })

  it('says what stays and what goes', () => {
    const pair = { row: { memory_key: 'later' }, peer: { memory_key: 'earlier' } } as OpenPair
    expect(saidOf(pair, 'keep_row')).toMatchObject({ subject: 'later', said: expect.stringContaining('earlier is retired') })
    expect(saidOf(pair, 'keep_peer')).toMatchObject({ subject: 'earlier', said: expect.stringContaining('later is retired') })
    expect(saidOf(pair, 'keep_both').said).not.toContain('retired')
    expect(saidOf(pair, 'merge')).toMatchObject({ subject: 'earlier', said: expect.stringContaining('later is retired') })
  })
})
