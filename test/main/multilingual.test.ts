import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openDesktop, type Desktop } from '../helpers/desktop.ts'
import { scratchHome } from '../helpers/headless.ts'
import { languageFacts } from '../helpers/language-facts.ts'
import { multilingualModel } from '../tools/multilingual-model.ts'

const FACTS = await languageFacts()

describe('a model of many languages in place of the one that ships', { timeout: 240_000 }, () => {
  let loom: Desktop
  let drop: () => Promise<void>
  beforeAll(async () => {
    const home = await scratchHome()
    drop = home.drop
    loom = await openDesktop(home.home)
  }, 120_000)
  afterAll(async () => {
    await loom?.close()
    await drop()
  })

  /** Of the questions of each language, the share whose fact comes first. */
  async function first(): Promise<Record<string, number>> {
    const right: Record<string, number> = {}
    for (const [n, { language, question }] of FACTS.entries()) {
      const { results } = await loom.call('memory.search', { query: question })
      right[language] = (right[language] ?? 0) + (results[0]?.memory_key === `fact/${n}` ? 1 / 12 : 0)
    }
    return right
  }

  test('everything is embedded anew, searchable meanwhile; then a question finds a fact of its language', async (context) => {
    const folder = await multilingualModel().catch((error: Error) => context.skip(`no multilingual model: ${error.message.split('\n')[0]}`))
    await loom.call('memory.bulk_set', { entries: FACTS.map(({ fact }, n) => ({ memory_key: `fact/${n}`, value: fact })) })
    const before = await first()
    await loom.call('settings.set', { values: { 'embedding.model': folder } })
    const state = async () => (await loom.call('engine.info', {})).embedder
    const stored = async () => {
      const { rows } = await sql<{ model: string; rows: number }>`SELECT model, count(DISTINCT memory_id)::int AS rows
        FROM loom.memory_embedding GROUP BY model`.execute(loom.database().reader)
      return rows
    }
    await vi.waitFor(
      async () => {
        const { results } = await loom.call('memory.search', { query: 'Kotlin mobile app' })
        expect(results.length).toBeGreaterThan(0)
        expect(await state()).toMatchObject({ model: expect.stringMatching(/^multilingual-e5-small@/) as string, state: 'ready' })
        expect(await stored()).toEqual([{ model: (await state()).model, rows: FACTS.length }])
      },
      { timeout: 120_000, interval: 100 },
    )
    const after = await first()
    const mean = (shares: Record<string, number>): number => Object.values(shares).reduce((sum, share) => sum + share, 0) / 7
    // .37 and .73 where this was written.
    expect(mean(after)).toBeGreaterThan(0.6)
    expect(mean(after)).toBeGreaterThan(mean(before) + 0.2)
    expect(Math.min(...Object.values(after))).toBeGreaterThan(0.3)
  })
})
