import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf, OutputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'

let loom: TestEngine
let now = Date.parse('2026-11-30T12:00:00Z')
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine({ clock: () => now })
})
afterAll(() => loom.close())

function space(settings: Partial<CallInputOf<'namespace.register'>> = {}) {
  const namespace = `p${++spaces}`
  const at = { namespace }
  const set = (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) => {
    now += 1000
    return loom.call('memory.set', { ...at, memory_key, value, ...more })
  }
  return {
    at,
    register: () => loom.call('namespace.register', { ...at, ...settings }),
    set,
    propose: (key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) => set(key, value, { proposed: true, ...more }),
    decide: (memory_key: string, decision: 'accept' | 'reject', more: Partial<CallInputOf<'memory.proposal_decide'>> = {}) => {
      now += 1000
      return loom.call('memory.proposal_decide', { ...at, memory_key, decision, ...more })
    },
    get: (memory_key: string, more: Partial<CallInputOf<'memory.get'>> = {}) => loom.call('memory.get', { ...at, memory_key, ...more }),
    list: (more: Partial<CallInputOf<'memory.proposals'>> = {}) => loom.call('memory.proposals', { ...at, ...more }),
    found: async (query: string, more: Partial<CallInputOf<'memory.search'>> = {}) =>
      (await loom.call('memory.search', { ...at, query, ...more })).results.map((hit) => hit.memory_key),
  }
}

const triples = async (id: string) =>
  (await sql<{ subject: string }>`SELECT subject FROM loom.memory_relation WHERE memory_id = ${id}`.execute(loom.database.reader)).rows

describe('a fact on trial', () => {
  it('is stored as proposed, and shown only to reads that ask for proposals [PRO001, PRO003]', async () => {
    const { propose, get, found, at, list } = space()
    const told = await propose('backup/hour', 'Backups start at two in the morning.')
    expect(told).toMatchObject({
      status: 'proposed',
      conflict_verdict: 'clear',
      noop: false,
      next: `memory.proposal_decide(memory_key='backup/hour')`,
    })
    expect(await get('backup/hour')).toMatchObject({ found: false, reason: 'proposed' })
    expect(await get('backup/hour', { include_proposed: true })).toMatchObject({ found: true, status: 'proposed' })
    expect(await found('when do backups start?')).toEqual([])
    expect(await found('when do backups start?', { include_proposed: true })).toEqual(['backup/hour'])
    expect((await loom.call('memory.get_by_id', { memory_id: told.memory_id })).reason).toBe('proposed')
    expect((await loom.call('memory.timeline', at)).rows).toEqual([])
    expect(await list()).toMatchObject({ total: 1, policy: { mode: 'manual' }, next_cursor: null })
  })

  it('leaves what is established as it is, whatever the policy: nothing is retired, flagged or reinforced [PRO004]', async () => {
    for (const default_conflict_policy of ['flag', 'newest_wins', 'keep_existing'] as const) {
      const { register, set, propose, get, at, list } = space({ default_conflict_policy })
      await register()
      await set('deploy/window/prod', HELD)
      const before = await get('deploy/window/prod')
      expect(await propose('ops/deploys', AGAINST)).toMatchObject({ status: 'proposed', conflict_verdict: 'conflict' })
      expect(await propose('twin', HELD)).toMatchObject({ conflict_verdict: 'merge', merged_into_key: 'deploy/window/prod', noop: true })
      const { served_count: _a, recall_count: _b, ...after } = await get('deploy/window/prod')
      expect(before).toMatchObject(after)
      expect((await loom.call('conflicts.list', at)).total).toBe(0)
      await loom.engine.runDueJobs(new Date((now += 120_000)))
      expect(await list()).toMatchObject({ total: 1, proposals: [{ contradicts: [{ memory_key: 'deploy/window/prod' }] }] })
      expect((await get('deploy/window/prod')).status).toBe('active')
    }
  })

  it('is no peer of later writes, and no write but a decision ends its trial [PRO002]', async () => {
    const { propose, set, get, at, list } = space()
    await propose('ops/deploys', AGAINST)
    expect(await set('deploy/window/prod', HELD)).toMatchObject({ conflict_verdict: 'clear', status: 'active' })
    const again = await set('ops/deploys', AGAINST)
    expect(again).toMatchObject({ status: 'proposed', noop: true, next: expect.stringContaining('memory.proposal_decide') })
    const { version } = again
    expect(await set('ops/deploys', 'Production deploys run every day.')).toMatchObject({ status: 'proposed', noop: false })
    const text = 'Lamps are brass.'
    const import_ = () => loom.call('memory.import', { ...at, entries: [{ text }] })
    const key = (await import_()).results[0]?.key ?? ''
    await loom.call('memory.delete', { ...at, memory_key: key })
    await propose(key, text)
    expect((await import_()).results).toMatchObject([{ outcome: 'skipped', reason: 'proposed' }])
    const bulk = await loom.call('memory.bulk_set', {
      ...at,
      entries: [
        { memory_key: 'ops/deploys', value: 'Production deploys run at noon.' },
        { memory_key: 'deploy/window/prod', value: 'x', proposed: true },
        { memory_key: 'new', value: 'The boiler is green.', proposed: true },
      ],
    })
    expect(bulk.written.map((row) => [row.memory_key, row.status])).toEqual([
      ['ops/deploys', 'proposed'],
      ['new', 'proposed'],
    ])
    expect(bulk.refused).toMatchObject([{ index: 1, code: 'KEY_HOLDS_FACT' }])
    const named = { ...at, memory_key: 'ops/deploys' }
    expect(await loom.call('memory.update', { ...named, value: 'x' })).toMatchObject({ updated: false, reason: 'not_found' })
    expect(await loom.call('memory.delete', named)).toMatchObject({ found: false })
    expect(await loom.call('memory.reject', named)).toMatchObject({ rejected: false, reason: 'not_found' })
    expect(await loom.call('memory.lock', { ...named, reason: 'x' })).toMatchObject({ locked: false })
    expect(await loom.call('memory.delete_version', { ...named, agent: 'default', version })).toMatchObject({ tombstoned: false })
    await expect(loom.call('memory.pin', { ...named, value: AGAINST })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(
      loom.call('decision.record', { ...named, title: 'a', decision: 'b', supersedes: 'deploy/window/prod' }),
    ).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    expect((await get('ops/deploys', { include_proposed: true })).status).toBe('proposed')
    expect((await list()).total).toBe(3)
  })

  it('cannot be proposed on a key that holds a fact, and starts on one whose fact is gone [PRO007]', async () => {
    const { propose, set, at } = space()
    await set('team/lead', 'Ada leads the team.')
    await expect(propose('team/lead', 'Grace leads the team.')).rejects.toMatchObject({ code: 'KEY_HOLDS_FACT' })
    await expect(propose('team/lead', 'Ada leads the team.')).rejects.toMatchObject({ code: 'KEY_HOLDS_FACT' })
    await expect(propose('team/x', 'y', { dry_run: true, pinned: true })).rejects.toMatchObject({ fields: { field: 'proposed' } })
    expect(await propose('team/lead', 'Grace leads the team.', { agent: 'other' })).toMatchObject({ status: 'proposed' })
    await loom.call('memory.delete', { ...at, memory_key: 'team/lead' })
    expect(await propose('team/lead', 'Grace leads the team.')).toMatchObject({ status: 'proposed' })
    await expect(loom.call('memory.set', { ...at, memory_key: 'nul', value: 'a\0b', proposed: true })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  it('keeps its relations out of the fact graph, also when accepted; stated again they are added [PRO005, PRO006]', async () => {
    const { propose, decide, set } = space()
    const relations: [string, string, string][] = [['ada', 'leads', 'platform']]
    const { memory_id } = await propose('team/lead', 'Ada leads the platform team.', { relations })
    await set('team/lead', 'Ada leads the platform team.', { relations })
    expect(await triples(memory_id)).toEqual([])
    expect(await decide('team/lead', 'accept')).toMatchObject({ decided: true, status: 'active', conflict_verdict: 'clear' })
    expect(await triples(memory_id)).toEqual([])
    await set('team/lead', 'Ada leads the platform team.', { relations })
    expect(await triples(memory_id)).toEqual([{ subject: 'ada' }])
  })

  it('is swept when it expires, and comes back to its trial when it is restored', async () => {
    const { propose, list, at, get } = space()
    await propose('kettle', 'The kettle is in the blue cupboard.', { ttl_seconds: 60 })
    await propose('hidden', 'Ada sits by the window.', { ttl_seconds: 60, on_expire: 'anonymize' })
    now += 61_000
    expect((await list()).total).toBe(0)
    await loom.engine.runDueJobs(new Date(now))
    expect((await loom.call('memory.list', { ...at, status: ['tombstoned', 'proposed'] })).rows).toMatchObject([{ memory_key: 'kettle' }])
    expect((await loom.call('memory.history', { ...at, memory_key: 'hidden' })).head_status).toBe('rejected')
    expect(await loom.call('memory.restore', { ...at, memory_key: 'kettle' })).toMatchObject({ restored: true, status: 'proposed' })
    expect(await get('kettle')).toMatchObject({ found: false, reason: 'proposed' })
    expect((await list()).proposals.map((one) => one.row.memory_key)).toEqual(['kettle'])
  })
})

describe('memory.proposal_decide', () => {
  it('accepts or rejects; deciding again finds no proposal', async () => {
    const { propose, decide, get, found, at } = space()
    const proposed = await propose('backup/hour', 'Backups start at two in the morning.')
    expect(await decide('backup/hour', 'accept', { dry_run: true })).toMatchObject({ decided: false, status: 'active', dry_run: true })
    expect((await get('backup/hour')).found).toBe(false)
    const accepted = await decide('backup/hour', 'accept')
    expect(accepted).toMatchObject({ found: true, decided: true, reason: '', memory_id: proposed.memory_id, status: 'active' })
    expect(accepted.version > proposed.version).toBe(true)
    expect(await get('backup/hour')).toMatchObject({ found: true, status: 'active', value: 'Backups start at two in the morning.' })
    expect(await found('when do backups start?')).toEqual(['backup/hour'])
    expect(await decide('backup/hour', 'accept')).toMatchObject({ found: true, decided: false, reason: 'not_proposed' })
    expect(await decide('none', 'reject')).toMatchObject({ found: false, decided: false, reason: 'not_found', status: '' })
    await propose('b', 'The printer is in the hall.')
    expect(await decide('b', 'reject')).toMatchObject({ decided: true, status: 'rejected' })
    expect((await loom.call('memory.list', { ...at, status: ['rejected'] })).rows.length).toBe(1)
    const audited = await loom.call('audit.list', { ...at, op: 'memory.proposal_decide' })
    expect(audited.rows.length).toBe(2)
  })

  it('what it contradicts makes it conflicted and retires nothing, under any policy [PRO020]', async () => {
    for (const default_conflict_policy of ['flag', 'newest_wins'] as const) {
      const { register, set, propose, decide, get, at } = space({ default_conflict_policy })
      await register()
      await set('deploy/window/prod', HELD)
      await propose('ops/deploys', AGAINST)
      const told = await decide('ops/deploys', 'accept')
      expect(told).toMatchObject({ status: 'conflicted', conflict_verdict: 'conflict', peers: [{ memory_key: 'deploy/window/prod' }] })
      expect((await get('deploy/window/prod')).status).toBe('active')
      const { pairs } = await loom.call('conflicts.list', at)
      expect(pairs).toMatchObject([{ origin: 'proposal', row: { memory_key: 'ops/deploys' }, peer: { memory_key: 'deploy/window/prod' } }])
      expect((await loom.call('conflicts.list', { ...at, origin: 'proposal' })).total).toBe(1)
    }
  })

  it('judges anew: what was written meanwhile counts, a pin or a pattern refuses and leaves it on trial', async () => {
    const { set, propose, decide, at, list } = space()
    await propose('ops/deploys', AGAINST)
    await set('deploy/window/prod', HELD, { pinned: true })
    await expect(decide('ops/deploys', 'accept')).rejects.toMatchObject({ code: 'PINNED_CONFLICT' })
    await loom.call('memory.unpin', { ...at, memory_key: 'deploy/window/prod' })
    await loom.call('blacklist.add', { ...at, pattern: 'monday' })
    await expect(decide('ops/deploys', 'accept')).rejects.toMatchObject({ code: 'BLACKLISTED' })
    expect((await list()).total).toBe(1)
    await propose('lead/b', 'The archive is rebuilt every night.')
    await set('lead/a', 'The archive is rebuilt every night.')
    expect(await decide('lead/b', 'accept')).toMatchObject({ status: 'duplicate', conflict_verdict: 'duplicate' })
    expect((await loom.call('review.queue', at)).counts).toMatchObject({ duplicate: 1, proposal: 1 })
  })

  it('decides the newest row of the key, and names none when several hold it [PRO018, PRO019]', async () => {
    const { propose, decide, list, at } = space()
    const older = await propose('team/lead', 'Ada leads the team.', { agent: 'a' })
    const newer = await propose('team/lead', 'Grace leads the design group.', { agent: 'b' })
    expect((await list()).proposals.map((one) => [one.row.agent, one.holders, one.decidable])).toEqual([
      ['b', 2, false],
      ['a', 2, false],
    ])
    const { items } = await loom.call('review.queue', at)
    expect(items.map((item) => [item.kind, item.actions])).toEqual([
      ['proposal', []],
      ['proposal', []],
    ])
    expect(await decide('team/lead', 'reject')).toMatchObject({ memory_id: newer.memory_id, status: 'rejected' })
    const [left] = (await loom.call('review.queue', at)).items
    expect(left?.actions.map((one) => one.action)).toEqual(['accept', 'reject'])
    const accept = left?.actions[0]?.arguments as CallInputOf<'memory.proposal_decide'>
    expect(await loom.call('memory.proposal_decide', { ...accept, ...at })).toMatchObject({ memory_id: older.memory_id, status: 'active' })
    await expect(loom.call('review.dismiss', { ...at, item_id: left?.item_id ?? '' })).rejects.toMatchObject({
      fields: { op: 'memory.proposal_decide' },
    })
  })

  it('two decisions at once: one decides, the other finds none on trial', async () => {
    const { propose, decide } = space()
    await propose('x', 'The gate opens at seven.')
    const both = await Promise.all([decide('x', 'accept'), decide('x', 'accept')])
    expect(both.map((one) => one.reason).toSorted()).toEqual(['', 'not_proposed'])
  })

  it('pages proposals and the queue, newest first', async () => {
    const { propose, set, list, at } = space()
    await set('deploy/window/prod', HELD)
    await propose('a', 'The gate opens at seven.')
    await set('ops/deploys', AGAINST)
    await propose('b', 'The parrot is called Igor.')
    const first = await list({ limit: 1 })
    expect([first.proposals[0]?.row.memory_key, first.total]).toEqual(['b', 2])
    expect((await list({ limit: 1, cursor: first.next_cursor ?? '' })).proposals[0]?.row.memory_key).toBe('a')
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: OutputOf<'review.queue'> = await loom.call('review.queue', { ...at, limit: 1, ...(cursor && { cursor }) })
      seen.push(...page.items.map((item) => item.row.memory_key))
      cursor = page.next_cursor
    }
    expect(seen).toEqual(['b', 'ops/deploys', 'a'])
    expect((await loom.call('review.queue', { ...at, kinds: ['proposal'] })).items.length).toBe(2)
    expect((await loom.call('review.queue', at)).counts).toEqual({
      conflict: 1,
      duplicate: 0,
      proposal: 2,
      sync: 0,
      low_confidence: 0,
      total: 3,
    })
    await expect(list({ cursor: 'x' })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
  })
})
