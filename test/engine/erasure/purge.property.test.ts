import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { DEFAULT_ERASURE } from '../../../shared/engine/erasure/config.ts'
import { watchTables } from '../../../shared/engine/shapes/triggers.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN, ORG } from '../../ops/erasure/people.ts'
import { tablesWith } from '../../ops/erasure/seed.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

vi.setConfig({ testTimeout: 240_000 })

let loom: TestEngine
let round = 0
beforeAll(async () => {
  loom = await openTestEngine({
    host: 'server',
    mode: 'multi',
    models: NO_MODELS,
    config: { rates: UNLIMITED, erasure: { ...DEFAULT_ERASURE, waitSeconds: 300 } },
  })
  await watchTables(loom.database)
})
afterAll(() => loom.close())

const STEPS = ['set', 'update', 'delete', 'restore', 'move', 'link', 'park', 'say', 'file', 'ask', 'tell', 'pin'] as const

/** One thing that an agent does for a user; what is refused is no matter here. */
async function act(step: (typeof STEPS)[number], at: Record<string, string>, key: string, canary: string): Promise<void> {
  const calls: Record<(typeof STEPS)[number], [string, object]> = {
    set: ['memory.set', { memory_key: key, value: `${canary} at ${performance.now()}.`, relations: [[canary, 'is', 'here']] }],
    update: ['memory.update', { memory_key: key, value: `${canary} corrected at ${performance.now()}.` }],
    delete: ['memory.delete', { memory_key: key }],
    restore: ['memory.restore', { memory_key: key }],
    move: ['memory.move', { memory_key: key, to_key: `${key}-moved-${canary}` }],
    link: ['memory.link', { memory_key: key, to_key: `${canary}/0`, relation: 'see_also', note: canary }],
    park: ['working_memory.set', { key, value: canary }],
    say: ['conversation.append', { thread_id: 't', messages: [{ role: 'user', content: `I am ${canary}.` }] }],
    file: ['knowledge.add', { document_key: key, text: `# ${canary}\n\nBy ${canary}.` }],
    ask: ['memory.search', { query: canary }],
    tell: ['run.start', { goal: canary }],
    pin: ['memory.pin', { memory_key: `${key}-pin`, value: `${canary} is pinned.` }],
  }
  const [op, input] = calls[step]
  await loom
    .call(op as never, { ...at, ...input } as never, { ...ADMIN, idempotencyKey: `${round}-${step}-${performance.now()}` })
    .catch(() => {})
}

it('[ERA044] [ERA046] whatever was done for a user, after a purge no table, index, shape log or export holds a word of it, and others keep theirs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.integer({ min: 0, max: 3 }), fc.boolean()), { minLength: 4, maxLength: 14 }),
      async (steps) => {
        round++
        const [mine, theirs] = [`Bettong${round}m`, `Bettong${round}t`]
        const at = (user_id: string) => ({ org: ORG, namespace: 'chat', agent: 'a', user_id })
        for (const [step, key, isMine] of steps) {
          const canary = isMine ? mine : theirs
          await act(step, at(isMine ? `u-${mine}` : `u-${theirs}`), `${canary}/${key}`, canary)
        }
        const kept = await loom.call('memory.list', { ...at(`u-${theirs}`) }, ADMIN)
        const answer = await loom.call(
          'erasure.request',
          { org: ORG, scope_type: 'user_id', scope_value: `u-${mine}`, requester: 'dpo', purge: true },
          ADMIN,
        )
        expect(answer).toMatchObject({ status: 'completed', failure_reason: '' })
        const left = await tablesWith(loom.database, mine)
        // The user's id stands in the ledger of erasures and, as who it was, in the audit; no key and no text does.
        expect(Object.keys(left).filter((table) => !['erasure_saga', 'audit'].includes(table))).toEqual([])
        const found = (await loom.call('memory.search', { org: ORG, namespace: 'chat', query: mine }, ADMIN)).results.map(
          (hit) => hit.memory_key,
        )
        expect(found.filter((key) => key.includes(mine))).toEqual([])
        const exported = await loom.call(
          'erasure.export',
          { org: ORG, scope_type: 'user_id', scope_value: `u-${mine}`, requester: 'dpo' },
          ADMIN,
        )
        expect(exported.counts).toMatchObject({ memory: 0, knowledge: 0, conversations: 0, conversation_threads: 0, agent_events: 0 })
        expect((await loom.call('memory.list', { ...at(`u-${theirs}`) }, ADMIN)).rows.map((row) => row.memory_id)).toEqual(
          kept.rows.map((row) => row.memory_id),
        )
      },
    ),
    { numRuns: 3 },
  )
})
