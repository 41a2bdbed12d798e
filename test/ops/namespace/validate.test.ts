import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

let loom: TestEngine
let clock = Date.now()
beforeAll(async () => {
  loom = await openTestEngine({ clock: () => clock })
  await loom.call('memory.set', { memory_key: 'lamp', value: 'The lamp in the hall is brass.', tags: ['t'], entities: ['lamp'] })
  await loom.call('memory.set', {
    memory_key: 'rug',
    value: 'The rug was bought in Izmir.',
    confidence: 0.5,
    tags: ['t'],
    entities: ['rug'],
  })
})
afterAll(() => loom.close())

const validate = (more: object = {}) => loom.call('namespace.validate', more)
const problem = async (check: string, more: object = {}) => (await validate(more)).problems.find((one) => one.check === check)
const run = (statement: ReturnType<typeof sql>) => statement.execute(loom.database.reader)

describe('namespace.validate', () => {
  it('passes a store in order, and tells of no check that counts nothing', async () => {
    expect(await validate()).toEqual({ ok: true, checked: 2, problems: [], missing_keys: [] })
  })

  it('fails under strict for warnings and for keys that no live row holds', async () => {
    expect(await validate({ confidence_floor: 0.6 })).toMatchObject({
      ok: true,
      problems: [{ check: 'low_confidence', severity: 'warning', count: 1 }],
    })
    expect(await validate({ confidence_floor: 0.6, strict: true })).toMatchObject({ ok: false })
    expect(await validate({ keys: ['lamp', 'none'] })).toEqual({ ok: true, checked: 1, problems: [], missing_keys: ['none'] })
    expect(await validate({ keys: ['none'], strict: true })).toMatchObject({ ok: false, missing_keys: ['none'] })
    expect(await problem('low_confidence', { confidence_floor: 0.6, keys: ['lamp'] })).toBeUndefined()
  })

  it('counts a conflict, and a missing vector, once it is older than the call allows', async () => {
    await loom.call('memory.set', { memory_key: 'rug/2', value: 'The rug was not bought in Izmir.', tags: ['t'], entities: ['rug'] })
    expect(await problem('conflicted')).toBeUndefined()
    expect(await problem('conflicted', { conflict_age_seconds: 0 })).toMatchObject({ count: 1, severity: 'warning' })
    await run(sql`DELETE FROM loom.memory_embedding WHERE org = 'dev'`)
    expect(await problem('missing_vector')).toBeUndefined()
    clock += 301_000
    expect(await problem('missing_vector')).toMatchObject({ count: 3 })
    expect(await problem('missing_vector', { embed_grace_seconds: 3600 })).toBeUndefined()
    await loom.call('memory.delete', { memory_key: 'rug/2' })
  })

  it('fails for a head that is not its newest version, and for an index that holds another', async () => {
    await run(sql`UPDATE loom.memory SET version = version + 1 WHERE org = 'dev' AND memory_key = 'lamp'`)
    expect(await validate()).toMatchObject({ ok: false })
    expect(await problem('head_mismatch')).toMatchObject({ severity: 'error', count: 1, examples: [{ memory_key: 'lamp' }] })
    expect(await problem('index_mismatch')).toMatchObject({ severity: 'error', count: 1, examples: [{ memory_key: 'lamp' }] })
    await run(sql`UPDATE loom.memory SET version = version - 1 WHERE org = 'dev' AND memory_key = 'lamp'`)
    expect(await problem('index_mismatch')).toBeUndefined()
  })

  it('fails for an audit row that was changed [AUD007]', async () => {
    await loom.engine.runDueJobs(new Date(clock + 120_000))
    expect(await problem('audit_chain')).toBeUndefined()
    await run(sql`UPDATE loom.audit SET actor = 'nobody' WHERE audit_id = (SELECT min(audit_id) FROM loom.audit WHERE org = 'dev')`)
    expect(await problem('audit_chain')).toMatchObject({ severity: 'error', count: 1 })
  })
})
