import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuditRow } from '../../../shared/contract/ops/audit/list.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const DAY = 24 * 3600 * 1000

describe('the audit log', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now, config: { auditRetentionDays: 30 } })
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const verify = async () => (await loom.call('audit.list', { verify: true, limit: 1 })).chain!
  const seal = async () => {
    now += 60_000
    expect(await loom.engine.runDueJobs()).toContain('audit_seal')
  }

  it('tells who changed what and when, newest first, by any of its columns', async () => {
    const { memory_id, version, content_sha256 } = await set('ledger', 'The ledger is bound in calf.', { run_id: 'run-1' })
    now += 1000
    await loom.call('memory.delete', { memory_key: 'ledger' }, { requestId: 'req-delete' })
    const { rows } = await loom.call('audit.list', { memory_key: 'ledger' })
    expect(rows.map((row) => row.op)).toEqual(['memory.delete', 'memory.set'])
    expect(rows[1]).toMatchObject({
      subject: 'memory:default/-/-/ledger',
      memory_id,
      version,
      version_text: version.toString(),
      content_sha256,
      actor: 'human:local',
      source_class: 'user',
      conflict_verdict: 'clear',
      run_id: 'run-1',
      origin: 'local',
      seal: null,
      scrubbed: false,
    })
    const only = async (filter: object) => (await loom.call('audit.list', filter)).rows.map((row) => `${row.op} ${row.memory_key}`)
    expect(await only({ request_id: 'req-delete' })).toEqual(['memory.delete ledger'])
    expect(await only({ op: 'memory.set', memory_id })).toEqual(['memory.set ledger'])
    expect(await only({ since: new Date(now).toISOString() })).toEqual(['memory.delete ledger'])
    expect(await only({ until: new Date(now).toISOString(), memory_key: 'ledger' })).toEqual(['memory.set ledger'])
    expect(await only({ actor: 'process:nobody' })).toEqual([])
    const first = await loom.call('audit.list', { memory_key: 'ledger', limit: 1 })
    expect((await loom.call('audit.list', { memory_key: 'ledger', limit: 1, cursor: first.next_cursor ?? '' })).rows).toMatchObject([
      { op: 'memory.set' },
    ])
  })

  it('seals what was written, each seal over the one before, and finds the chain whole', async () => {
    await seal()
    await set('second', 'The second seal is over this row.')
    expect(await verify()).toMatchObject({ ok: true, seals: 1, rows_sealed: 2, rows_unsealed: 1, first_bad_seal: null, problem: '' })
    await seal()
    expect(await verify()).toMatchObject({ ok: true, seals: 2, rows_sealed: 3, rows_unsealed: 0 })
    expect((await loom.call('audit.list', { memory_key: 'second' })).rows).toMatchObject([{ seal: 2 }])
  })

  it('names the seal of a row that was changed, taken away or slipped in', async () => {
    await set('third', 'The third seal is over this row.')
    await seal()
    const change = async (forward: string, back: string, says: RegExp, bad: number) => {
      await sql.raw(forward).execute(loom.database.reader)
      const chain = await verify()
      expect(chain).toMatchObject({ ok: false, first_bad_seal: bad })
      expect(chain.problem).toMatch(says)
      await sql.raw(back).execute(loom.database.reader)
      expect(await verify()).toMatchObject({ ok: true })
    }
    const mark = "WHERE memory_key = 'second'"
    await change(
      `UPDATE loom.audit SET actor = 'human:eve' ${mark}`,
      `UPDATE loom.audit SET actor = 'human:local' ${mark}`,
      /was changed/,
      2,
    )
    await change(
      `CREATE TABLE loom.aside AS SELECT * FROM loom.audit ${mark}; DELETE FROM loom.audit ${mark}`,
      'INSERT INTO loom.audit SELECT * FROM loom.aside',
      /has 0/,
      2,
    )
    await change(
      `INSERT INTO loom.audit SELECT (json_populate_record(a, json_build_object('audit_id', a.audit_id || 'x'))).* FROM loom.audit a ${mark}`,
      "DELETE FROM loom.audit WHERE audit_id LIKE '%x'",
      /was changed|has 2/,
      2,
    )
    await change(
      'CREATE TABLE loom.kept AS SELECT * FROM loom.audit_seal WHERE seal = 2; DELETE FROM loom.audit_seal WHERE seal = 2',
      'INSERT INTO loom.audit_seal SELECT * FROM loom.kept',
      /seal 2 is missing/,
      2,
    )
  })

  it('lets a scrubbed row be stood for by its hash', async () => {
    await sql`UPDATE loom.audit SET memory_key = '', subject = '', content_sha256 = '', salt = '', scrubbed = true WHERE memory_key = 'third'`.execute(
      loom.database.reader,
    )
    expect(await verify()).toMatchObject({ ok: true, rows_scrubbed: 1 })
  })

  it('[AUD006] is kept as its page says: the columns, the op that reads it, and whole seals dropped past the retention', async () => {
    const page = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8')
    for (const column of Object.keys(AuditRow.shape)) expect(page).toContain(`\`${column}\``)
    for (const name of ['audit.list', 'LOOM_AUDIT_RETENTION_DAYS', 'audit_seal']) expect(page).toContain(name)
    now += 29 * DAY
    await set('young', 'A row that is younger than the retention.')
    await seal()
    expect(await verify()).toMatchObject({ ok: true, seals: 4 })
    now += 2 * DAY
    await loom.engine.runDueJobs()
    expect(await verify()).toMatchObject({ ok: true, seals: 1, rows_sealed: 1 })
    expect((await loom.call('audit.list', { memory_key: 'second' })).rows).toEqual([])
    await sql`UPDATE loom.audit_seal SET hash = 'forged' WHERE dropped`.execute(loom.database.reader)
    expect(await verify()).toMatchObject({ ok: false, first_bad_seal: 4 })
  })
})
