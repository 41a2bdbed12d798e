import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createHash } from 'node:crypto'
import { openPglite } from '../../shared/engine/db/pglite.ts'
import { toConfig } from '../../sync-server/config.ts'
import { reapplyOnMachine } from '../../sync-server/reapply.ts'
import { NO_MODELS, openTestEngine } from '../helpers/engine.ts'
import { ADMIN, ORG } from '../ops/erasure/people.ts'
import { tablesWith } from '../ops/erasure/seed.ts'

vi.setConfig({ testTimeout: 120_000 })

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'loom-reapply-'))
})
afterAll(() => rm(home, { recursive: true }))

it('loom server erasure reapply carries out the erasures of a kept ledger on a store that was put back', async () => {
  const store = { host: 'server', mode: 'multi', models: NO_MODELS, folder: home } as const
  const before = await openTestEngine(store)
  for (const user_id of ['u-1', 'u-2'])
    await before.call(
      'memory.set',
      { org: ORG, namespace: 'chat', agent: 'a', user_id, memory_key: 'tea', value: `Bilby of ${user_id}.` },
      ADMIN,
    )
  await before.close()
  const kept = join(home, 'kept.jsonl')
  const fence = {
    type: 'fence', org: ORG, seq: '4', erasure_id: 'er_old', namespace: '*', user_sha256: createHash('sha256').update('er_old:u-1').digest('hex'), collection: '',
    purge: true, requested_at: '2026-09-20T12:00:00.000Z',
  } // prettier-ignore
  await writeFile(kept, `${JSON.stringify(fence)}\n`)
  const config = { ...toConfig({ LOOM_SERVER_HOME: home }), store: { kind: 'pglite', dataDir: join(home, 'pg') } as const }
  const log = pino({ level: 'silent' })
  expect(await reapplyOnMachine(config, kept, log)).toBe(1)
  await using database = await openPglite({ dataDir: join(home, 'pg') })
  expect(await tablesWith(database, 'Bilby of u-1')).toEqual({})
  expect(await tablesWith(database, 'Bilby of u-2')).toHaveProperty('memory')
})

it('refuses a file that is no ledger, and touches nothing', async () => {
  const other = join(home, 'other.txt')
  await writeFile(other, 'hello\n')
  await expect(reapplyOnMachine(toConfig({ LOOM_SERVER_HOME: home }), other, pino({ level: 'silent' }))).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  })
})
