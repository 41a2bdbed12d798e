import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { localClaims, type Caller } from '../../../shared/engine/caller.ts'
import { trialDecision } from '../../../shared/domain/verdict/trial.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN } from '../../helpers/push.ts'
import { CHAT, openTeam, queued } from '../../helpers/webhooks.ts'

let loom: TestEngine
let now = Date.parse('2026-11-30T12:00:00Z')
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine({ clock: () => now })
})
afterAll(() => loom.close())

type Policy = NonNullable<CallInputOf<'namespace.register'>['proposal_policy']>

function space() {
  const namespace = `a${++spaces}`
  const at = { namespace }
  let runs = 0
  return {
    at,
    policy: (proposal_policy: Policy) => loom.call('namespace.register', { ...at, proposal_policy }),
    propose: (memory_key: string, value: string) => {
      now += 1000
      return loom.call('memory.set', { ...at, memory_key, value, proposed: true })
    },
    run: async (keys: readonly string[], grade: 'pass' | 'fail') => {
      now += 1000
      const run_id = `r${++runs}`
      await loom.call('run.complete', { ...at, run_id, status: 'completed', memories_used: [...keys] })
      now += 1000
      return (await loom.call('run.grade', { ...at, run_id, grade })).trials
    },
    status: async (memory_key: string) => (await loom.call('memory.get', { ...at, memory_key, include_proposed: true })).status ?? 'none',
  }
}

describe('the auto policy', () => {
  it('accepts at min_passes with at most max_fails, and rejects at reject_after_fails [PRO012]', async () => {
    const { at, policy, propose, run, status } = space()
    await policy({ mode: 'auto', min_passes: 2, max_fails: 1, reject_after_fails: 3 })
    await propose('good', 'The gate opens at seven.')
    expect(await run(['good'], 'pass')).toEqual([{ memory_key: 'good', passes: 1, fails: 0, decision: 'open' }])
    expect(await run(['good'], 'fail')).toMatchObject([{ passes: 1, fails: 1, decision: 'open' }])
    expect(await run(['good'], 'pass')).toMatchObject([{ passes: 2, fails: 1, decision: 'accepted' }])
    expect(await status('good')).toBe('active')
    await propose('bad', 'The parrot is called Igor.')
    for (const decision of ['open', 'open', 'rejected']) expect(await run(['bad'], 'fail')).toMatchObject([{ decision }])
    expect(await status('bad')).toBe('rejected')
    expect(await run(['bad', 'good'], 'pass')).toEqual([])
    const { rows } = await loom.call('audit.list', { ...at, op: 'worker:proposal_policy' })
    expect(rows.map((row) => [row.memory_key, row.actor, row.request_id])).toEqual([
      ['bad', 'worker:proposal_policy', ''],
      ['good', 'worker:proposal_policy', ''],
    ])
  })

  it('fails above max_fails hold a fact on trial, and its bounds are tested one by one [PRO012]', () => {
    const bounds = { mode: 'auto', min_passes: 3, max_fails: 1, reject_after_fails: 4 } as const
    const cases = [
      [2, 0, null],
      [3, 0, 'accept'],
      [3, 1, 'accept'],
      [9, 2, null],
      [9, 3, null],
      [9, 4, 'reject'],
      [0, 4, 'reject'],
    ] as const
    for (const [passes, fails, decision] of cases)
      expect([passes, fails, trialDecision(bounds, { passes, fails })]).toEqual([passes, fails, decision])
    expect(trialDecision({ ...bounds, mode: 'manual' }, { passes: 9, fails: 0 })).toBe(null)
  })

  it('under manual nothing is decided; a grade given again under auto is [PRO011, PRO012]', async () => {
    const { at, policy, propose, run, status } = space()
    await policy({ min_passes: 1 })
    await propose('x', 'The gate opens at seven.')
    expect(await run(['x'], 'pass')).toMatchObject([{ decision: 'open' }])
    expect(await status('x')).toBe('proposed')
    await policy({ mode: 'auto' })
    const again = await loom.call('run.grade', { ...at, run_id: 'r1', grade: 'pass' })
    expect(again).toMatchObject({ changed: false, trials: [{ decision: 'accepted' }] })
  })

  it('a person or an agent decides under auto too, any writer, the proposer among them [PRO014, PRO015]', async () => {
    const { at, policy, propose, status } = space()
    await policy({ mode: 'auto' })
    await propose('mine', 'The gate opens at seven.')
    await propose('theirs', 'The parrot is called Igor.')
    const token = (subject: string, role: 'viewer' | 'writer'): Partial<Caller> => ({
      claims: { ...localClaims('process', subject), grants: { [at.namespace]: role } },
      local: false,
      fills: { agent: subject },
    })
    const proposed = { ...at, memory_key: 'own', value: 'Lamps are brass.', proposed: true }
    await loom.call('memory.set', proposed, token('proposer', 'writer'))
    const decide = (memory_key: string, decision: 'accept' | 'reject', caller: Partial<Caller>) =>
      loom.call('memory.proposal_decide', { ...at, memory_key, decision }, caller)
    await expect(decide('own', 'accept', token('reader', 'viewer'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await decide('own', 'accept', token('proposer', 'writer'))).toMatchObject({ decided: true, status: 'active' })
    expect(await decide('mine', 'accept', token('other', 'writer'))).toMatchObject({ decided: true })
    expect(await decide('theirs', 'reject', {})).toMatchObject({ decided: true })
    expect(await status('theirs')).toBe('rejected')
  })

  it('a pin or a pattern that stands against it keeps it on trial; what it contradicts makes it conflicted', async () => {
    const { at, policy, propose, run, status } = space()
    await policy({ mode: 'auto', min_passes: 1 })
    const held = { ...at, memory_key: 'deploy/window/prod', value: 'Production deploys run Tuesday and Thursday only; never Friday.' }
    await propose('ops/deploys', 'Production deploys run Monday to Thursday.')
    await loom.call('memory.set', { ...held, pinned: true })
    expect(await run(['ops/deploys'], 'pass')).toMatchObject([{ decision: 'open' }])
    await loom.call('memory.unpin', { ...at, memory_key: held.memory_key })
    await loom.call('blacklist.add', { ...at, pattern: 'monday' })
    expect(await run(['ops/deploys'], 'pass')).toMatchObject([{ decision: 'open' }])
    const { patterns } = await loom.call('blacklist.list', at)
    await loom.call('blacklist.remove', { ...at, blacklist_id: patterns[0]?.blacklist_id ?? '' })
    expect(await run(['ops/deploys'], 'pass')).toMatchObject([{ decision: 'accepted' }])
    expect(await status('ops/deploys')).toBe('conflicted')
  })

  it('two proposals that contradict each other are not both let in unseen by one grade', async () => {
    const { at, policy, propose, run, status } = space()
    await policy({ mode: 'auto', min_passes: 1 })
    await propose('a', 'The maintenance window of cluster alpha starts at 2:00.')
    await propose('b', 'The maintenance window of cluster alpha starts at 4:00.')
    expect(await run(['a', 'b'], 'pass')).toMatchObject([{ decision: 'accepted' }, { decision: 'accepted' }])
    expect([await status('a'), await status('b')]).toEqual(['active', 'conflicted'])
    expect((await loom.call('conflicts.list', at)).total).toBe(1)
  })
})

describe('memory.proposals', () => {
  it('lists proposals with the graded runs that relied on each, newest first [PRO008, PRO009, PRO010]', async () => {
    const { at, propose, run } = space()
    await propose('x', 'The gate opens at seven.')
    await propose('y', 'The parrot is called Igor.')
    await run(['x'], 'pass')
    await run(['x', 'y'], 'fail')
    now += 1000
    await loom.call('run.complete', { ...at, run_id: 'waiting', status: 'failed', memories_used: ['x'] })
    await loom.call('run.complete', { ...at, namespace: 'elsewhere', run_id: 'foreign', status: 'completed', memories_used: ['x'] })
    await loom.call('run.grade', { namespace: 'elsewhere', run_id: 'foreign', grade: 'pass' })
    const { proposals, total } = await loom.call('memory.proposals', at)
    expect(proposals.map((one) => [one.row.memory_key, one.passes, one.fails, one.ungraded_runs, one.runs.map((r) => r.run_id)])).toEqual([
      ['y', 0, 1, 0, ['r2']],
      ['x', 1, 1, 1, ['r2', 'r1']],
    ])
    expect([total, proposals[0]?.runs[0]]).toEqual([2, expect.objectContaining({ grade: 'fail', graded_by: 'human:local', goal: '' })])
    expect((await loom.call('memory.proposals', { ...at, memory_key: 'x' })).total).toBe(1)
    // Another value is another proposal: its trial starts anew. A change of its tags alone is none.
    await loom.call('memory.set', { ...at, memory_key: 'x', value: 'The gate opens at seven.', tags: ['gate'] })
    const tally = async () => (await loom.call('memory.proposals', { ...at, memory_key: 'x' })).proposals[0]
    expect(await tally()).toMatchObject({ passes: 1, fails: 1 })
    await propose('x', 'The gate opens at eight.')
    expect(await tally()).toMatchObject({ passes: 0, fails: 0, runs: [] })
  })
})

describe('webhooks of proposals', () => {
  it('hear of an acceptance as written, by whoever decided, and of nothing else [WHK014, WHK058]', async () => {
    await using team = Object.assign(await openTeam(), {
      async [Symbol.asyncDispose]() {
        await team.close()
      },
    })
    await team.hook()
    const run = (op: Parameters<typeof team.loom.call>[0], input: object) => {
      team.clock.now += 1000
      return team.loom.call(op, input, { ...ADMIN, fills: CHAT }) as Promise<unknown>
    }
    await team.set('a', 'The gate opens at seven.', { proposed: true })
    await team.set('a', 'The gate opens at nine.')
    await team.set('b', 'The parrot is called Igor.', { proposed: true })
    await team.set('c', 'Lamps are brass.', { proposed: true })
    await run('memory.proposal_decide', { memory_key: 'b', decision: 'reject' })
    await run('blacklist.add', { pattern: 'brass', sweep: true })
    expect(await queued(team)).toEqual([])
    await run('memory.proposal_decide', { memory_key: 'a', decision: 'accept' })
    await run('namespace.register', { namespace: 'chat', proposal_policy: { mode: 'auto', min_passes: 1 } })
    await team.set('d', 'Stairs creak.', { proposed: true })
    await run('run.complete', { run_id: 'r', status: 'completed', memories_used: ['d'] })
    await run('run.grade', { run_id: 'r', grade: 'pass' })
    const bodies = (await queued(team)).map(
      (event) => JSON.parse(event.body) as { type: string; memory_key: string; actor: string; request_id: string },
    )
    expect(bodies.map(({ type, memory_key, actor }) => [type, memory_key, actor])).toEqual([
      ['memory.written', 'a', expect.stringMatching(/^(human|process):/)],
      ['memory.written', 'd', 'worker:proposal_policy'],
    ])
    expect(bodies[1]?.request_id).toBe('')
  })
})
