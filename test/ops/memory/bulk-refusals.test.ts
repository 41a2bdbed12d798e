import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryBulkSet } from '../../../shared/contract/ops/memory/bulk_set.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores } from '../../helpers/store-counts.ts'

type Entry = CallInputOf<'memory.bulk_set'>['entries'][number]

let loom: TestEngine
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine()
  // The store itself fails for these keys: as with a full disk, and in a way that nobody has foreseen.
  await loom.database.transaction(async (tx) => {
    await sql`CREATE FUNCTION loom.fail_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.memory_key = 'fail/disk' THEN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END IF;
      IF NEW.memory_key = 'fail/odd' THEN RAISE EXCEPTION 'never seen before'; END IF;
      RETURN NEW; END $$`.execute(tx)
    await sql`CREATE TRIGGER fail_for_test BEFORE INSERT ON loom.memory FOR EACH ROW EXECUTE FUNCTION loom.fail_for_test()`.execute(tx)
  })
})
afterAll(() => loom.close())

function space() {
  const namespace = `f${++spaces}`
  const bulk = (entries: Entry[], more: Partial<CallInputOf<'memory.bulk_set'>> = {}) =>
    loom.call('memory.bulk_set', { namespace, entries, ...more })
  const total = async () => (await loom.call('memory.list', { namespace, with_total: true })).total
  return { namespace, bulk, total }
}
const entry = (memory_key: string, more: Partial<Entry> = {}): Entry => ({
  memory_key,
  value: `What is kept under ${memory_key}.`,
  ...more,
})

describe('memory.bulk_set', () => {
  it('is not atomic: what came before a failure stays, and the answer tells each entry [BLK013, LIM002]', async () => {
    const { bulk, total, namespace } = space()
    const odd = await bulk([entry('a'), entry('fail/odd'), entry('b')])
    expect(odd.written.map((row) => row.index)).toEqual([0, 2])
    expect(odd.failed).toEqual([{ index: 1, memory_key: 'fail/odd', code: 'INTERNAL' }])
    const full = await bulk([entry('c'), entry('fail/disk'), entry('d'), entry('e')])
    expect(full.written.map((row) => row.index)).toEqual([0])
    expect(full.failed.map((row) => [row.index, row.code])).toEqual([
      [1, 'STORAGE_FULL'],
      [2, 'STORAGE_FULL'],
      [3, 'STORAGE_FULL'],
    ])
    expect(await total()).toBe(3)
    const vectors = await loom.database.reader
      .selectFrom('memory_embedding as e')
      .innerJoin('memory as m', 'm.memory_id', 'e.memory_id')
      .select('m.memory_key')
      .distinct()
      .where('m.namespace', '=', namespace)
      .execute()
    expect(vectors.map((row) => row.memory_key).sort()).toEqual(['a', 'b', 'c'])
  })

  it('says in the documentation that it is not atomic [LIM002]', () => {
    expect(memoryBulkSet.advice).toContain('Not atomic')
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
    expect(docs.slice(docs.indexOf('memory.bulk_set'))).toContain('Not atomic')
  })

  it.each<[string, Entry, object]>([
    ['a bad field', entry('b', { tags: ['x'.repeat(200)] }), { code: 'INVALID_ARGUMENT', fields: { field: 'entries[1].tags[0]' } }],
    [
      'a near miss',
      entry('b', { tagss: ['x'] }),
      { code: 'UNKNOWN_ARGUMENT', fields: { field: 'entries[1].tagss', did_you_mean: { tagss: 'tags' } } },
    ],
    [
      'a precondition',
      entry('b', { if_match_sha256: 'f'.repeat(64) }),
      { code: 'INVALID_ARGUMENT', fields: { field: 'entries[1].if_match_sha256' } },
    ],
    ['a dry run of its own', entry('b', { dry_run: true }), { code: 'INVALID_ARGUMENT', fields: { field: 'entries[1].dry_run' } }],
    [
      'a combination that contradicts itself',
      entry('b', { clear_expiry: true, ttl_seconds: 60 }),
      { code: 'INVALID_ARGUMENT', fields: { field: 'entries[1].clear_expiry' } },
    ],
    [
      'an unknown class',
      entry('b', { source_class: 'trusted' as 'derived' }),
      { code: 'INVALID_ARGUMENT', fields: { field: 'entries[1].source_class' } },
    ],
    [
      'a pinned proposal',
      entry('b', { proposed: true, pinned: true }),
      { code: 'INVALID_ARGUMENT', fields: { field: 'entries[1].proposed' } },
    ],
  ])('%s refuses the whole call, and nothing is written [BLK001]', async (_what, bad, error) => {
    const { bulk, total } = space()
    await expect(bulk([entry('a'), bad, entry('c')])).rejects.toMatchObject(error)
    expect(await total()).toBe(0)
  })

  it('names fields that it does not know, and takes rows of an export', async () => {
    const { namespace } = space()
    await loom.call('memory.set', {
      namespace,
      memory_key: 'team/lead',
      value: 'Ada leads the team.',
      tags: ['people'],
      relations: [['ada', 'leads', 'team']],
      user_id: 'u1',
    })
    const row = await loom.call('memory.get', { namespace, memory_key: 'team/lead', user_id: 'u1' })
    const target = space()
    const read = Object.fromEntries(Object.entries(row).filter(([name]) => !['found', 'unchanged', 'reason', 'next'].includes(name)))
    const answer = await target.bulk([{ ...(read as unknown as Entry), colour: 'blue' }])
    expect(answer.ignored_args).toEqual(['entries[0].colour'])
    expect(answer.written).toHaveLength(1)
    const copy = await loom.call('memory.get', { namespace: target.namespace, memory_key: 'team/lead', user_id: 'u1' })
    expect(copy).toMatchObject({
      value: row.value,
      tags: ['people'],
      relations: row.relations,
      user_id: 'u1',
      source_class: 'user',
      content_sha256: row.content_sha256,
    })
    expect(copy.memory_id).not.toBe(row.memory_id)
  })

  it('an entry may name another agent, user, session or run; a token that is bound may not', async () => {
    const { bulk, namespace } = space()
    await bulk([entry('a', { agent: 'one', user_id: 'u1', session_id: 's1', run_id: 'r1' }), entry('b')], { agent: 'two', run_id: 'r2' })
    const { rows } = await loom.call('memory.list', { namespace, sort: 'key' })
    expect(rows.map((row) => [row.agent, row.user_id, row.session_id, row.run_id])).toEqual([
      ['one', 'u1', 's1', 'r1'],
      ['two', '-', '-', 'r2'],
    ])
    const claims = {
      token_id: 't',
      subject: 'w',
      kind: 'process' as const,
      org: 'dev',
      grants: { '*': 'writer' as const },
      agent: '',
      user_id: 'u1',
      own_session: false,
      session_id: '',
      device_id: '',
      expires_at: null,
    }
    await expect(loom.call('memory.bulk_set', { namespace, entries: [entry('c', { user_id: 'u2' })] }, { claims })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      fields: { field: 'entries[0].user_id' },
    })
    await loom.call('memory.bulk_set', { namespace, entries: [entry('c')] }, { claims })
    expect(await loom.call('memory.get', { namespace, memory_key: 'c', user_id: 'u1' })).toMatchObject({
      user_id: 'u1',
      actor: 'process:w',
    })
  })

  it('a dry run judges and stores nothing; the same call under one idempotency key is one call', async () => {
    const { bulk, total, namespace } = space()
    const before = await countStores(loom.database)
    expect(await bulk([entry('a'), entry('b')], { dry_run: true })).toMatchObject({
      dry_run: true,
      written: [{ status: 'active', conflict_verdict: 'clear' }, {}],
    })
    expect(await countStores(loom.database)).toEqual(before)
    const once = () =>
      loom.call(
        'memory.bulk_set',
        { namespace, entries: [entry('a'), entry('a', { value: 'Another value.' })] },
        { idempotencyKey: 'one-key' },
      )
    const first = await once()
    const counts = await countStores(loom.database)
    expect(await once()).toEqual(first)
    expect(await countStores(loom.database)).toEqual(counts)
    expect(await total()).toBe(1)
  })
})
