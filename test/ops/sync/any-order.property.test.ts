import fc from 'fast-check'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChangeIn } from '../../../shared/contract/ops/sync/push.ts'
import { NO_MODELS, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN, AT, openServer, pairDevice, type Device } from '../../helpers/push.ts'

const POLICIES = ['flag', 'newest_wins', 'keep_existing'] as const
const WORDS = ['amber', 'birch', 'cobalt', 'dune', 'ember', 'fjord', 'grove', 'harbour', 'islet', 'jasper', 'karst', 'lagoon']

let now = Date.UTC(2026, 5, 1, 12)
let server: TestEngine
let devices: Device[]
beforeAll(async () => {
  server = await openServer({ models: NO_MODELS, clock: () => now })
  const grants = Object.fromEntries(POLICIES.map((namespace) => [namespace, 'admin' as const]))
  for (const namespace of POLICIES) await server.call('namespace.register', { namespace, default_conflict_policy: namespace }, ADMIN)
  devices = []
  for (const name of ['alice', 'bob', 'carl']) devices.push(await pairDevice(server, name, grants, {}, () => now))
})
afterAll(() => server.close())

/** One thing that a device does with the key while it is away. */
const step = fc.record({
  device: fc.integer({ min: 0, max: 2 }),
  op: fc.constantFrom('memory.set', 'memory.set', 'memory.update', 'memory.delete'),
  /** Hours before the push; the clock of the device may be a day off besides. */
  ago: fc.integer({ min: 0, max: 48 }),
  /** Made on what the server held then, or on the device's own last change. */
  sees: fc.boolean(),
})
const plan = fc.record({
  policy: fc.constantFrom(...POLICIES),
  steps: fc.array(step, { minLength: 2, maxLength: 8 }),
  skew: fc.integer({ min: -24, max: 24 }),
  /** Pushes of which the answer is lost, so that they come again. */
  lost: fc.integer({ min: 0, max: 255 }),
})

let runs = 0

describe('changes of three devices, in any order', () => {
  it('leave one head, every value in the history, and nothing done twice', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ policy, steps, skew, lost }) => {
        const memory_key = `run/${++runs}`
        const at = { ...AT, namespace: policy, memory_key }
        const said = new Map<string, string>()
        const own = new Map<number, string>()
        const sent: ChangeIn[] = []
        for (const [index, { device, op, ago, sees }] of steps.entries()) {
          now += 60_000
          const head = await server.call('memory.get', { ...at, follow: false }, ADMIN)
          const value = `${WORDS[index]} ${v7()}`
          const before = own.get(device)
          const base = sees || before === undefined ? { base_version: head.version ?? null } : { base_change_id: before }
          const change: ChangeIn = {
            change_id: v7(),
            op,
            args: { ...at, ...(op !== 'memory.delete' && { value }) },
            recorded_at: new Date(now - ago * 3_600_000 + skew * 3_600_000).toISOString(),
            erasure_seq: 0,
            ...base,
          }
          own.set(device, change.change_id)
          if (op !== 'memory.delete') said.set(change.change_id, value)
          sent.push(change)
          const push = () => devices[device]?.push([change], { sent_at: new Date(now + skew * 3_600_000).toISOString() })
          const first = (await push())?.results[0]
          if ((lost >> index) & 1) {
            const again = (await push())?.results[0]
            expect(again).toMatchObject({ replayed: true, outcome: first?.outcome, version: first?.version, status: first?.status })
          }
          expect(['applied', 'lost', 'refused']).toContain(first?.outcome)
          // What carries a value is never refused: it is the head, or a version that lost.
          if (op !== 'memory.delete') expect(['applied', 'lost']).toContain(first?.outcome)
        }
        const { rows } = await server.call('memory.history', { ...at, limit: 200 }, ADMIN)
        const kept = rows.map((row) => row.value)
        for (const value of said.values()) expect(kept).toContain(value)
        const versions = rows.map((row) => row.version)
        expect(new Set(versions).size).toBe(versions.length)
        // Each change made one version at most, and the newest that did not lose is the head.
        const made = rows
          .filter((row) => row.op === 'memory.set' || row.op === 'memory.update')
          .map((row) => `${row.value as string}/${row.lost}`)
        for (const value of said.values()) expect(made.filter((one) => one === `${value}/true`).length).toBeLessThanOrEqual(1)
        const head = await server.call('memory.inspect', at, ADMIN).catch(() => null)
        const newest = rows.find((row) => !row.lost)
        if (head?.found === true && newest) expect(head).toMatchObject({ row: { version: newest.version } })
      }),
      { numRuns: 40 },
    )
  }, 120_000)
})
