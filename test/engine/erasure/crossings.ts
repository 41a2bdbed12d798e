import { afterEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_ERASURE } from '../../../shared/engine/erasure/config.ts'
import { memoryObjects } from '../../../shared/engine/objects/object-store.ts'
import type { Models } from '../../../shared/engine/ports.ts'
import type { TestEngineOptions } from '../../helpers/engine.ts'
import { testModels } from '../../helpers/models.ts'
import { ADMIN, change, ORG, pairDevice } from '../../helpers/push.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'
import { openTeam, queued, type Team } from '../../helpers/webhooks.ts'
import { tablesWith } from '../../ops/erasure/seed.ts'

// A purge goes through every table.
vi.setConfig({ testTimeout: 120_000 })

/** A step that waits until it is let through, and tells when it is reached. */
function turnstile(): { pass(): Promise<void>; reached: Promise<void>; open(): void } {
  let told = (): void => {}
  let open = (): void => {}
  const reached = new Promise<void>((resolve) => (told = resolve))
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { reached, open, pass: async () => (told(), opened) }
}

/** An erasure that meets work of another kind on the same rows, on either database. */
export function describeCrossings(
  name: string,
  options: () => TestEngineOptions | Promise<TestEngineOptions>,
  after: () => Promise<void>,
  when: object = {},
): void {
  describe(name, when, () => {
    let team: Team
    afterEach(async () => {
      await team.close()
      await after()
    })
    const open = async (more: TestEngineOptions = {}): Promise<void> => {
      const config = { rates: UNLIMITED, erasure: { ...DEFAULT_ERASURE, waitSeconds: 300 } }
      team = await openTeam({}, { config, objects: memoryObjects(), ...(await options()), ...more }, Date.now())
    }
    const purge = (scope_value: string) =>
      team.loom.call('erasure.request', { org: ORG, scope_type: 'user_id', scope_value, requester: 'dpo', purge: true }, ADMIN)
    const left = (canary: string) => tablesWith(team.loom.database, canary)

    it('a push that crosses it is taken whole or refused as erased, and what it brought from before is gone', async () => {
      await open()
      const devices = await Promise.all(['ann', 'bob', 'eve'].map((subject) => pairDevice(team.loom, subject)))
      const changes = Array.from({ length: 60 }, (_, n) =>
        change('memory.set', { user_id: 'u-1', memory_key: `k/${n}`, value: `Kaka111 said ${n}.` }),
      )
      const batch = (n: number) => changes.slice(n * 20, n * 20 + 20)
      const pushes = devices.map((device, n) => device.push(batch(n)))
      const [told, ...answers] = await Promise.all([purge('u-1'), ...pushes])
      expect(told).toMatchObject({ status: 'completed', residue: {}, failure_reason: '' })
      const outcomes = answers.flatMap(({ results }) => results.map(({ outcome }) => outcome))
      expect(outcomes).toHaveLength(60)
      expect(outcomes.filter((outcome) => outcome !== 'applied' && outcome !== 'erased')).toEqual([])
      expect(await left('Kaka111')).toEqual({})
      // The same changes once more, as from a device that lost the answers, bring nothing back.
      await Promise.all(devices.map((device, n) => device.push(batch(n))))
      expect(await left('Kaka111')).toEqual({})
    })

    it('a POST that is under way when its memory is erased is the last that a receiver hears of it', async () => {
      await open()
      const post = turnstile()
      team.receiver.answer = async (_received, response) => {
        await post.pass()
        response.writeHead(503).end()
      }
      const hook = await team.hook('/chat')
      await team.set('Kea222/tea', 'Kea222 drinks tea.', { user_id: 'u-2' })
      const passing = team.pass()
      await post.reached
      expect(await purge('u-2')).toMatchObject({ status: 'completed', residue: {}, failure_reason: '' })
      post.open()
      await passing
      for (let hour = 0; hour < 3; hour++) await team.pass(3600)
      const of = (key: string) => team.receiver.received.filter(({ body }) => body.includes(key))
      expect(of('Kea222')).toHaveLength(1)
      expect((await queued(team, hook)).map(({ memory_key }) => memory_key).filter(Boolean)).toEqual([])
      expect(await left('Kea222')).toEqual({})
    })

    it('vectors that are being made anew when their text is erased are not stored', async () => {
      const real = await testModels()
      let slow: ReturnType<typeof turnstile> | null = null
      const { embedder } = real
      if (!embedder) throw new Error('The embedder did not load.')
      const models: Models = {
        ...real,
        embedder: Object.create(embedder, {
          embed: {
            value: async (...given: Parameters<typeof embedder.embed>) => {
              const made = await embedder.embed(...given)
              await slow?.pass()
              return made
            },
          },
        }) as typeof embedder,
        close: async () => undefined,
      }
      await open({ models })
      for (let n = 0; n < 5; n++) await team.set(`Takahe333/${n}`, `Takahe333 keeps ${n} boats in the harbour.`, { user_id: 'u-3' })
      await team.set('boats', 'Somebody keeps a boat.', { user_id: 'u-4' })
      await team.loom.engine.runDueJobs()
      await team.loom.call('memory.reindex', { org: ORG, namespace: 'chat' }, ADMIN)
      slow = turnstile()
      const working = team.pass()
      await slow.reached
      expect(await purge('u-3')).toMatchObject({ status: 'completed', residue: {}, failure_reason: '' })
      slow.open()
      await working
      slow = null
      await team.pass(600)
      expect(await left('Takahe333')).toEqual({})
      const rows = await team.loom.database.reader.selectFrom('memory_embedding').selectAll().where('org', '=', ORG).execute()
      const heads = await team.loom.database.reader.selectFrom('memory').select('memory_id').where('org', '=', ORG).execute()
      expect(new Set(rows.map((row) => row.memory_id))).toEqual(new Set(heads.map((row) => row.memory_id)))
      expect(heads).toHaveLength(1)
    })
  })
}
