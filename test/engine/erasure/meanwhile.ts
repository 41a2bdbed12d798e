import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryObjects } from '../../../shared/engine/objects/object-store.ts'
import { DEFAULT_ERASURE } from '../../../shared/engine/erasure/config.ts'
import type { ExternalEraser } from '../../../shared/engine/erasure/external/eraser.ts'
import { openTestEngine, type TestEngine, type TestEngineOptions } from '../../helpers/engine.ts'
import { ADMIN, ORG } from '../../ops/erasure/people.ts'
import { seedUser, tablesWith } from '../../ops/erasure/seed.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

// A purge goes through every table.
vi.setConfig({ testTimeout: 120_000 })

/** What happens beside an erasure, on either database. */
export function describeMeanwhile(name: string, options: () => TestEngineOptions | Promise<TestEngineOptions>, when: object = {}): void {
  describe(name, when, () => {
    let loom: TestEngine
    let hold: Promise<void> = Promise.resolve()
    const reached: (() => void)[] = []
    const eraser: ExternalEraser = {
      name: 'gate',
      async erase() {
        for (const told of reached.splice(0)) told()
        await hold
        return { affected: 0 }
      },
    }
    beforeAll(async () => {
      loom = await openTestEngine({
        host: 'server',
        mode: 'multi',
        config: { rates: UNLIMITED, erasure: { ...DEFAULT_ERASURE, waitSeconds: 300 } },
        erasure: { erasers: [eraser] },
        objects: memoryObjects(),
        ...(await options()),
      })
    }, 60_000)
    afterAll(() => loom.close())

    const at = (user_id: string) => ({ org: ORG, namespace: 'chat', agent: 'scribe', user_id })
    const set = (user_id: string, memory_key: string, value: string) =>
      loom.call('memory.set', { ...at(user_id), memory_key, value }, ADMIN)
    const get = (user_id: string, memory_key: string) => loom.call('memory.get', { ...at(user_id), memory_key }, ADMIN)
    const request = (scope_value: string, more = {}) =>
      loom.call('erasure.request', { org: ORG, scope_type: 'user_id', scope_value, requester: 'dpo', purge: true, ...more }, ADMIN)
    const left = async (canary: string) => Object.keys(await tablesWith(loom.database, canary)).filter((table) => table !== 'idempotency')

    /** Runs `work` while an erasure waits at its external erasers, then lets it go on. */
    async function during<T>(asked: Promise<unknown>, work: () => Promise<T>, open: () => void): Promise<T> {
      await new Promise<void>((told) => reached.push(told))
      const done = await work()
      open()
      await asked
      return done
    }
    function gate(): () => void {
      let open = (): void => {}
      hold = new Promise((resolve) => (open = resolve))
      return open
    }

    it('[ERA044] [ERA046] a purge leaves a canary in no table', async () => {
      await seedUser(loom, 'chat', 'u-1', 'Kakapo111')
      expect(await request('u-1')).toMatchObject({ status: 'completed', residue: {}, failure_reason: '' })
      expect(await left('Kakapo111')).toEqual([])
    })

    it('what is said after the fence stays, on the same key, in an erasure that still runs', async () => {
      await set('u-2', 'tea', 'u-2 drinks tea.')
      const open = gate()
      const asked = request('u-2')
      const [before, after] = await during(
        asked,
        async () => {
          const gone = await get('u-2', 'tea')
          await set('u-2', 'tea', 'u-2 drinks tea.')
          return [gone, await get('u-2', 'tea')]
        },
        open,
      )
      expect(before?.found).toBe(false)
      expect(after?.found).toBe(true)
      expect(await asked).toMatchObject({ status: 'completed', residue: {}, failure_reason: '' })
      expect(await get('u-2', 'tea')).toMatchObject({ found: true, value: 'u-2 drinks tea.' })
      const { rows } = await sql<{
        mine: bigint
        org: bigint
      }>`SELECT erasure_seq AS mine, (SELECT erasure_seq FROM loom.org WHERE org = ${ORG}) AS org
        FROM loom.memory WHERE user_id = 'u-2'`.execute(loom.database.reader)
      expect(rows.map((row) => row.mine === row.org)).toEqual([true])
    })

    it('[ERA059] a row of before the fence that lands while the saga runs is taken by its second sweep', async () => {
      await set('u-3', 'tea', 'u-3 drinks tea.')
      const open = gate()
      const asked = request('u-3')
      await during(
        asked,
        async () => {
          // As a process would that read before the fence, and wrote after delete.memory.
          await sql`INSERT INTO loom.memory (org, namespace, agent, user_id, session_id, memory_key, memory_id, version, value, memory_type, status, actor,
              source_class, created_at, updated_at, erasure_seq)
            SELECT ${ORG}, 'chat', 'scribe', 'u-3', '-', 'late', 'late-row', 1, '"Kea333 came late."', 'semantic', 'active', 'human:ann', 'user', now(), now(), 0`.execute(
            loom.database.reader,
          )
        },
        open,
      )
      expect(await asked).toMatchObject({ status: 'completed', residue: {}, failure_reason: '' })
      expect(await left('Kea333')).toEqual([])
    })

    it('overlapping erasures of a user and of a namespace both end, and nothing of either is left', async () => {
      await seedUser(loom, 'chat', 'u-4', 'Takahe444')
      await seedUser(loom, 'side', 'u-4', 'Takahe444')
      hold = Promise.resolve()
      const [one, two, three] = await Promise.all([
        request('u-4'),
        loom.call(
          'erasure.request',
          { org: ORG, scope_type: 'namespace_list', scope_value: '["side"]', requester: 'dpo', purge: true },
          ADMIN,
        ),
        request('u-4', { purge: false }),
      ])
      for (const answer of [one, two, three]) expect(answer).toMatchObject({ status: 'completed', residue: {}, failure_reason: '' })
      expect(await left('Takahe444')).toEqual([])
    })

    it('writes that go on meanwhile are stored whole or not at all, and none of them is erased that was said after', async () => {
      hold = Promise.resolve()
      const outcomes: string[] = []
      let asking = true
      const writing = (async () => {
        for (let n = 0; asking && n < 200; n++) {
          const told = await set('u-5', `k/${n}`, `u-5 said ${n}.`).then(
            () => 'stored',
            (error: { code?: string }) => error.code ?? 'INTERNAL',
          )
          outcomes.push(told)
        }
      })()
      const answer = await request('u-5')
      asking = false
      await writing
      expect(new Set(outcomes)).toEqual(new Set(['stored']))
      expect(answer).toMatchObject({ status: 'completed', residue: {}, failure_reason: '' })
      await set('u-5', 'last', 'u-5 said goodbye.')
      const { rows } = await sql<{
        n: number
      }>`SELECT count(*)::int AS n FROM loom.memory m WHERE m.org = ${ORG} AND m.user_id = 'u-5' AND m.erasure_seq <
        (SELECT max(seq) FROM loom.erasure_fence WHERE org = ${ORG})`.execute(loom.database.reader)
      expect(rows[0]?.n).toBe(0)
      expect((await get('u-5', 'last')).found).toBe(true)
    })

    it('the same request twice at once is one saga; a repeat under its key answers the same', async () => {
      const open = gate()
      await set('u-6', 'x', 'Of u-6.')
      const asked = request('u-6')
      const second = await during(asked, () => request('u-6').catch((error: unknown) => error), open)
      const first = await asked
      expect(second).toMatchObject({ code: 'IN_PROGRESS', fields: { erasure_id: first.erasure_id } })
      const keyed = { ...ADMIN, idempotencyKey: 'once' }
      const input = { org: ORG, scope_type: 'user_id', scope_value: 'u-7', requester: 'dpo' } as const
      const [a, b] = [await loom.call('erasure.request', input, keyed), await loom.call('erasure.request', input, keyed)]
      expect(b.erasure_id).toBe(a.erasure_id)
    })

    it('an answer that was kept for a repeat is gone; the repeat writes nothing and says why', async () => {
      hold = Promise.resolve()
      const keyed = { ...ADMIN, idempotencyKey: 'tea-once' }
      const write = () => loom.call('memory.set', { ...at('u-8'), memory_key: 'tea', value: 'u-8 drinks tea.' }, keyed)
      await write()
      await request('u-8')
      await expect(write()).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH', message: expect.stringContaining('erased') as string })
      expect((await get('u-8', 'tea')).found).toBe(false)
    })
  })
}
