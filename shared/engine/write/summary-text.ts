import { stringifyJson } from '../../contract/json.ts'
import { firstCharacters } from '../../domain/claim/claim-text.ts'
import { SUMMARY_CHARACTERS, summarise } from '../../domain/claim/summary.ts'
import { readSummary } from '../extract/answers.ts'
import { PROMPTS } from '../extract/prompts.ts'
import type { PrepareContext } from '../handler.ts'
import { askModel } from '../llm/ask.ts'
import { ModelFailure } from '../llm/port.ts'
import type { Head } from '../store/memories.ts'
import { claimOfHead } from '../store/head-claim.ts'

const MAX_TOKENS = 1024

/** One text that says what the rows say: by the model that is configured, else in their own words, and degraded. */
export async function summaryText(sources: readonly Head[], context: PrepareContext): Promise<string> {
  const claims = sources.map(claimOfHead)
  const { llm } = context.parts
  const prompt = { system: PROMPTS.summary, user: stringifyJson({ facts: claims }), maxTokens: MAX_TOKENS, json: true }
  try {
    if (llm) {
      const answer = await askModel(llm, prompt, { cached: true, spent: { tokensIn: 0, tokensOut: 0 } }, context)
      return firstCharacters(readSummary(answer), SUMMARY_CHARACTERS)
    }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    context.parts.log.warn({ err: error }, 'a summary was made without the model')
  }
  context.degraded.add('llm')
  return summarise(claims)
}
