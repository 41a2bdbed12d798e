import type { Input } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import type { AskProgress, memoryAsk } from '../../../contract/ops/memory/ask.ts'
import type { ReadContext } from '../../handler.ts'
import { ModelFailure } from '../../llm/port.ts'
import { extractiveAnswer } from './extractive.ts'
import { readSentences } from './sentences.ts'
import type { Sources } from './sources.ts'
import { synthesisedAnswer, type Synthesised } from './synthesised.ts'

export interface GivenAnswer extends Synthesised {
  /** Empty where no model wrote it. */
  readonly synthModel: string
}

const NOTHING: GivenAnswer = { answer: '', citations: [], conflicts: [], grounding: 0, synthModel: '' }

/** In a model's words where one is set and wanted; when it fails, and without one, the sentences themselves. */
export async function answerFrom(
  sources: Sources,
  input: Input<typeof memoryAsk>,
  vector: Float32Array | null,
  context: ReadContext,
): Promise<GivenAnswer> {
  if (sources.sources.length === 0) return NOTHING
  const { llm } = context.parts
  if (llm && input.allow_synthesis) {
    const options = {
      query: input.query,
      budgetTokens: input.body_budget_tokens,
      maxChars: input.max_answer_chars,
      cached: input.llm_cache,
    }
    try {
      return { ...(await synthesisedAnswer(llm, sources, options, context)), synthModel: llm.model }
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error
      if (context.caller.signal?.aborted) throw new LoomError('CANCELLED', 'The caller went away.', {}, { cause: error })
      context.caller.progress?.({ kind: 'restart', text: '', supported: true, citations: [], evidence: 0 } satisfies AskProgress)
      context.degraded.add('llm')
    }
  }
  const sentences = await readSentences(sources.sources, input.query, vector, context)
  const answered = extractiveAnswer(sentences, sources, input.max_answer_chars)
  return { ...answered, grounding: answered.citations.length > 0 ? 1 : 0, synthModel: '' }
}
