import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMON_TEXTS } from '../../../shared/engine/models/common-texts.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { languageFacts } from '../../helpers/language-facts.ts'
import { testModels } from '../../helpers/models.ts'

describe('facts in many languages', { timeout: 120_000 }, () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine({ models: await testModels() })
  })
  afterAll(() => loom.close())

  const statuses = async (namespace: string, values: readonly string[]): Promise<Record<string, string[]>> => {
    const entries = values.map((value, n) => ({ memory_key: `fact/${n}`, value }))
    const { written } = await loom.call('memory.bulk_set', { namespace, entries })
    expect(written).toHaveLength(values.length)
    const of: Record<string, string[]> = {}
    for (const { status, index } of written) (of[status] ??= []).push(values[index]!)
    return of
  }

  it('[VER001] about different things are never called one fact, however near the vectors of a script are to each other', async () => {
    const facts = (await languageFacts()).map(({ fact }) => fact)
    const { active = [], conflicted = [], ...others } = await statuses('seven', facts)
    expect(others).toEqual({})
    expect(conflicted.length).toBeLessThanOrEqual(2)
    expect(active.length + conflicted.length).toBe(facts.length)
  })

  it('stay apart in twenty-five more', async () => {
    const { active = [] } = await statuses('many', COMMON_TEXTS)
    // The relation model reads Chinese letter by letter, and takes one pair of sixty-four for the same.
    expect(active.length).toBeGreaterThanOrEqual(COMMON_TEXTS.length - 1)
  })

  it('in another script that say the same in nearly the same words are still found out', async () => {
    const { duplicate = [] } = await statuses('twice', [
      'تتم عمليات النشر في بيئة الإنتاج يوم الثلاثاء فقط.',
      'عمليات النشر في بيئة الإنتاج تتم يوم الثلاثاء فقط.',
      'Развёртывание сервера платежей идёт только по вторникам.',
      'Развёртывание сервера платежей идёт по вторникам.',
    ])
    expect(duplicate.length).toBeGreaterThanOrEqual(1)
  })
})
