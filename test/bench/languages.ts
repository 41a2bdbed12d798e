import { languageFacts, type LanguageFact } from '../helpers/language-facts.ts'
import { openEmptyEngine } from './lib/engine.ts'
import { multilingualModel } from '../tools/multilingual-model.ts'

/** Rates from 0 to 1 over the questions of a language. `made_up`: of the questions to which nothing is known, those that got an answer. */
interface Found {
  questions: number
  first: number
  among_5: number
  mrr: number
  nothing_near: number
  made_up: number
}

/** Every sixth fact is kept out, so that its question has no answer. */
const isKeptOut = (n: number): boolean => n % 6 === 5

/** Writes all facts into one namespace and asks every question, with one embedding model. */
async function searched(facts: readonly LanguageFact[], embeddingModel?: string): Promise<Record<string, Found>> {
  const loom = await openEmptyEngine(embeddingModel)
  try {
    const entries = facts.flatMap(({ fact }, n) => (isKeptOut(n) ? [] : [{ memory_key: `fact/${n}`, value: fact }]))
    const { written } = await loom.call('memory.bulk_set', { entries })
    if (written.length < entries.length) throw new Error(`only ${written.length} of ${entries.length} facts were written`)
    await loom.runDueJobs()
    const found: Record<string, Found> = {}
    let unknown = 0
    for (const [n, { language, question }] of facts.entries()) {
      const { results, abstain } = await loom.call('memory.search', { query: question })
      const of = (found[language] ??= { questions: 0, first: 0, among_5: 0, mrr: 0, nothing_near: 0, made_up: 0 })
      if (isKeptOut(n)) {
        unknown++
        if (!abstain) of.made_up++
        continue
      }
      const rank = results.findIndex(({ memory_key }) => memory_key === `fact/${n}`)
      of.questions++
      if (rank === 0) of.first++
      if (rank >= 0 && rank < 5) of.among_5++
      if (rank >= 0) of.mrr += 1 / (rank + 1)
      if (abstain) of.nothing_near++
    }
    const languages = Object.values(found)
    for (const of of languages) {
      for (const rate of ['first', 'among_5', 'mrr', 'nothing_near'] as const) of[rate] /= of.questions
      of.made_up /= unknown / languages.length
    }
    return found
  } finally {
    await loom.close()
  }
}

/**
 * A question in a language finds the fact that answers it in the same language, among the facts of seven: with the model
 * that ships, the baseline, and with a multilingual one in its place. The questions share few words with their facts.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const facts = await languageFacts()
  const shipped = await searched(facts)
  const folder = await multilingualModel().catch((error: Error) => error.message)
  if (!folder.startsWith('/')) return { shipped, multilingual: `cannot be had here: ${folder}` }
  return { shipped, multilingual: await searched(facts, folder) }
}
