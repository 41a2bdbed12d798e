import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

describe('context.pack', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  const set = (memory_key: string, value: unknown, more: object = {}) => {
    now += 1000
    return loom.call('memory.set', { memory_key, value, ...more } as never)
  }
  const pack = (query: string, more: object = {}) => loom.call('context.pack', { query, ...more })
  const refs = (answer: Awaited<ReturnType<typeof pack>>) =>
    Object.fromEntries(answer.sections.filter((one) => one.items.length > 0).map((one) => [one.name, one.items.map((item) => item.ref)]))

  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
    await loom.call('memory.pin', {
      memory_key: 'deploy/window/prod',
      value: 'Production deploys run Tuesday and Thursday only; never Friday.',
    })
    await set('payments/release', 'The payments release lives on the deploy board.')
    await set('garden/roses', 'The roses in the garden are watered at dawn.')
    await set('bank/pin', 'The payments release password is kept in the safe.', { sensitivity: 'high' })
    await set('diary', 'We rolled back the payments release.', { memory_type: 'episodic' })
    await loom.call('procedure.record', {
      title: 'Rollback',
      situation: 'A payments release has to be rolled back.',
      steps: ['Freeze deploys.', { do: 'Revert the payments release.', check: 'The board is green.' }],
    })
    await loom.call('decision.record', {
      title: 'Alarm window',
      decision: 'Whoever is on call rolls payments back within ten minutes of an alarm.',
    })
    await loom.call('learning.record', { lesson: 'Empty the cache after a payments rollback.' })
    await loom.call('profile.set', { attribute: 'tone', value: 'plain and short' })
    await loom.call('run.start', { run_id: 'r1', goal: 'Ship the payments release' })
    await loom.call('run.complete', { run_id: 'r1', status: 'completed', final_response: 'Shipped. All green.' })
  })
  afterAll(() => loom.close())

  it('gathers what a task needs, each row in its own section', async () => {
    const answer = await pack('roll back the payments release')
    expect(refs(answer)).toEqual({
      pinned: ['deploy/window/prod'],
      profile: ['profile/default/tone'],
      memories: ['payments/release'],
      decisions: ['decision/alarm-window'],
      learnings: [expect.stringMatching(/^learning\//)],
      procedures: ['procedure/rollback'],
      runs: ['r1'],
    })
    expect(answer.abstain).toBe(false)
    expect(answer.runs).toMatchObject([{ run_id: 'r1', goal: 'Ship the payments release', status: 'completed' }])
    expect(answer.text).toContain('# Pinned\n- Production deploys run Tuesday and Thursday only; never Friday. [deploy/window/prod]\n')
    expect(answer.text).toContain('1. Freeze deploys.\n  2. Revert the payments release. (check: The board is green.)')
    expect(answer.sections[0]).toMatchObject({ name: 'pinned', tokens: 16, elided: 0, items: [{ kind: 'memory', tokens: 16 }] })
    expect(answer.tokens).toBe(Math.ceil(answer.text.length / 4))
    expect(new Set(answer.memory_keys).size).toBe(answer.memory_keys.length)
  })

  it('[KEY031] [KEY028] leaves out high, episodic and unrelated rows', async () => {
    const { text } = await pack('roll back the payments release')
    for (const left of ['password', 'We rolled back', 'roses']) expect(text).not.toContain(left)
  })

  it('is the same for the same store', async () => {
    const first = await pack('roll back the payments release')
    expect(await pack('roll back the payments release')).toEqual(first)
  })

  it.each([200, 240, 300, 400, 1000])('stays within %i tokens, items whole or cut at a sentence', async (token_budget) => {
    const { tokens, text, sections } = await pack('roll back the payments release', { token_budget })
    expect(tokens).toBeLessThanOrEqual(token_budget)
    expect(Math.ceil(text.length / 4)).toBeLessThanOrEqual(token_budget)
    const pinned = sections.find(({ name }) => name === 'pinned')
    expect(pinned?.tokens ?? 0).toBeLessThanOrEqual(token_budget / 4)
    expect(sections.flatMap(({ items }) => items).every(({ text: said }) => /[.)\w]$/.test(said))).toBe(true)
  })

  it('holds the budget in a script of which a character is a token', async () => {
    await set('jp/deploy', '本番環境への配備は火曜日と木曜日に限られます。'.repeat(30), { namespace: 'jp' })
    const { tokens, text } = await pack('本番環境への配備', { namespace: 'jp', token_budget: 200 })
    expect(text).toContain('本番環境への配備は火曜日と木曜日に限られます。')
    expect(tokens).toBeLessThanOrEqual(200)
    expect([...text].filter((character) => character > '\u007f').length).toBeLessThanOrEqual(200)
  })

  it('takes passages of documents, and of conversations where they are asked for', async () => {
    const at = { namespace: 'library' }
    await loom.call('knowledge.add', {
      ...at,
      document_key: 'runbook',
      title: 'Runbook',
      text: '# Pumps\n\nGrease the sluice pump every Monday.\n',
    })
    await loom.call('conversation.append', {
      ...at,
      thread_id: 't1',
      messages: [{ role: 'user', content: 'Who greases the sluice pump?' }],
    } as never)
    const plain = await pack('grease the sluice pump', at)
    expect(refs(plain)).toEqual({ documents: ['runbook'] })
    expect(plain).toMatchObject({ abstain: false, memory_keys: [] })
    expect(plain.text).toContain('Grease the sluice pump every Monday.')
    expect(refs(await pack('grease the sluice pump', { ...at, include_conversations: true }))).toEqual({
      documents: ['runbook'],
      conversations: ['t1'],
    })
    expect(refs(await pack('grease the sluice pump', { ...at, include_knowledge: false }))).toEqual({})
  })

  it('says when nothing is near, and shows what stands all the same', async () => {
    const answer = await pack('the migration of arctic terns')
    expect(answer.abstain).toBe(true)
    expect(Object.keys(refs(answer))).toEqual(['pinned', 'profile', 'runs'])
    expect((await refused(pack(''), 'INVALID_ARGUMENT')).fields).toMatchObject({ field: 'query' })
  })

  it('primer: no query; what stands, and the latest', async () => {
    const answer = await loom.call('context.pack', { mode: 'primer' })
    expect(Object.keys(refs(answer))).toEqual(['pinned', 'profile', 'decisions', 'learnings', 'runs'])
    expect(answer.abstain).toBe(false)
  })

  it('gives only the sections asked for', async () => {
    expect(Object.keys(refs(await pack('roll back the payments release', { only_sections: ['procedures'] })))).toEqual(['procedures'])
    const answer = await pack('roll back the payments release', { include_runs: false, include_decisions: false })
    expect(Object.keys(refs(answer))).not.toEqual(expect.arrayContaining(['runs']))
    expect(answer.memory_keys).not.toContain('decision/alarm-window')
  })

  it('holds no fact twice, whoever wrote it', async () => {
    const at = { namespace: 'twice' }
    await set('a', 'The tide gauge is read every six hours.', at)
    await loom.call('memory.set', { ...at, agent: 'other', memory_key: 'b', value: 'The tide gauge is read every 6 hours.' })
    const { text } = await pack('how often is the tide gauge read', at)
    expect(text.match(/tide gauge/g)).toHaveLength(1)
  })

  it('holds no contested fact without what stands against it', async () => {
    const at = { namespace: 'against' }
    await set('office/open', 'The harbour office opens at eight.', at)
    expect((await set('desk/hours', 'The harbour office opens at nine.', at)).conflict_verdict).toBe('conflict')
    const whole = await pack('when does the harbour office open', { ...at, top_k: 1 })
    expect(whole.memory_keys.toSorted()).toEqual(['desk/hours', 'office/open'])
    expect(whole.conflicts).toMatchObject([{ memory_keys: expect.arrayContaining(['office/open', 'desk/hours']) }])
    expect(whole.sections.flatMap(({ items }) => items.map((item) => item.flags))).toEqual([['conflicted'], ['conflicted']])
    await set('office/open', `The harbour office opens at eight. ${'It has a blue door. '.repeat(40)}`, at)
    for (let token_budget = 200; token_budget < 500; token_budget += 60) {
      const { memory_keys: keys } = await pack('when does the harbour office open', { ...at, token_budget })
      const { pairs } = await loom.call('conflicts.list', at)
      if (pairs.length > 0) expect(keys.includes('desk/hours')).toBe(keys.includes('office/open'))
    }
  })

  it('[PRV008] leaves out external rows that nobody attested, and counts them', async () => {
    const at = { namespace: 'feeds' }
    await set('feed/wharf', 'The old wharf closes for repairs in June.', { ...at, source_class: 'external' })
    expect(await pack('when does the old wharf close', at)).toMatchObject({ external_dropped: 1, memory_keys: [], text: '' })
    await loom.call('memory.verify', { ...at, memory_key: 'feed/wharf' })
    const attested = await pack('when does the old wharf close', at)
    expect(attested).toMatchObject({ external_dropped: 0, memory_keys: ['feed/wharf'] })
    expect(attested.sections[0]?.items[0]?.flags).toEqual(['external'])
  })

  it('[PRO003] [TIM003] leaves out proposals and what is over', async () => {
    const at = { namespace: 'over' }
    await set('trial', 'The evening ferry leaves from the north pier.', { ...at, proposed: true })
    await set('past', 'The morning ferry leaves from the north pier.', { ...at, valid_to: '2026-01-01T00:00:00Z' })
    expect((await pack('where does the ferry leave from', at)).memory_keys).toEqual([])
  })

  it('puts what a run was told already last', async () => {
    const at = { namespace: 'again' }
    await set('ferry/one', 'The ferry timetable is printed in spring.', at)
    await set('ferry/two', 'The ferry timetable is printed by Grace.', at)
    const query = 'who prints the ferry timetable'
    const [first = ''] = (await pack(query, at)).memory_keys
    await loom.call('run.start', { ...at, run_id: 'seen' })
    const claims = localClaims('process', 'bot')
    await loom.call('memory.get', { ...at, memory_key: first, run_id: 'seen' }, { claims })
    const keys = (await pack(query, { ...at, run_id: 'seen' })).sections.flatMap(({ items }) => items.map((item) => item.ref))
    expect(keys.findLast((key) => key.startsWith('ferry/'))).toBe(first)
  })

  it('counts what it gives as recalled', async () => {
    const at = { namespace: 'counted' }
    await set('sluice', 'The sluice is greased in March.', at)
    await pack('when is the sluice greased', at)
    await vi.waitFor(async () => expect((await loom.call('memory.get', { ...at, memory_key: 'sluice' })).recall_count).toBe(1), {
      timeout: 5000,
    })
  })
})
