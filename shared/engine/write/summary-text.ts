import { parseJson, stringifyJson } from '../../contract/json.ts'
import { firstCharacters } from '../../domain/claim/claim-text.ts'
import { summarise } from '../../domain/claim/summary.ts'
import { PROMPTS } from '../extract/prompts.ts'
import type { PrepareContext } from '../handler.ts'
import { askModel } from '../llm/ask.ts'
import type { Head } from '../store/memories.ts'
import { claimOfHead } from './summary-row.ts'

const LONGEST = 1200
const MAX_TOKENS = 1024

/** A model's answer as a text that can be stored, or "" where it is none. */
function read(answer: string): string {
  try {
    const { summary } = parseJson(answer) as { summary?: unknown }
    return typeof summary === 'string' && !/[\0\p{Cs}]/u.test(summary) ? firstCharacters(summary.trim(), LONGEST) : ''
  } catch {
    return ''
  }
}

/** One text that says what the rows say: by the model that is configured, else in their own words, and degraded. */
export async function summaryText(sources: readonly Head[], context: PrepareContext): Promise<string> {
  const claims = sources.map(claimOfHead)
  const { llm } = context.parts
  const prompt = { system: PROMPTS.summary, user: stringifyJson({ facts: claims }), maxTokens: MAX_TOKENS, json: true }
  try {
    const made = llm ? read(await askModel(llm, prompt, { cached: true, spent: { tokensIn: 0, tokensOut: 0 } }, context)) : ''
    if (made !== '') return made
  } catch (error) {
    context.parts.log.warn({ err: error }, 'a summary was made without the model')
  }
  context.degraded.add('llm')
  return summarise(claims)
}
