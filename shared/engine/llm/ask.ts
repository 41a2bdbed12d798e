import type { PrepareContext } from '../handler.ts'
import { isScrubbedSince, keepAnswer, keptAnswer, lockAnswers, promptHash } from '../store/llm-cache.ts'
import type { Completion, LanguageModel, Prompt } from './port.ts'

/** What a model cost a call. */
export interface Spent {
  tokensIn: number
  tokensOut: number
}

/** Asks a model for a call, whose going away ends it; an answer kept for the same question is taken where `cached`. */
export async function askModel(
  model: LanguageModel,
  prompt: Omit<Prompt, 'signal'>,
  options: { readonly cached: boolean; readonly spent: Spent },
  context: PrepareContext,
): Promise<string> {
  const { parts, identity, now, db, caller } = context
  const hash = promptHash(model, prompt)
  const kept = options.cached ? await keptAnswer(db, identity, hash, now) : null
  if (kept) {
    prompt.heard?.(kept.text)
    return kept.text
  }
  const signal = caller.signal ? AbortSignal.any([caller.signal, parts.stopping]) : parts.stopping
  const answer: Completion = await model.complete({ ...prompt, signal })
  options.spent.tokensIn += answer.tokensIn
  options.spent.tokensOut += answer.tokensOut
  // NUL cannot be stored, and is in no answer that can be used.
  if (options.cached && !answer.text.includes('\0')) await keep(hash, answer, context)
  return answer.text
}

/** Keeps an answer, unless something was erased or scrubbed while the model was at work: it may quote what is gone. */
async function keep(hash: string, answer: Completion, { parts, identity, now, erasureSince }: PrepareContext): Promise<void> {
  await parts.database.transaction(async (tx) => {
    await lockAnswers(tx, parts.database.kind, identity.org)
    const number = await parts.numbers.enter(tx, identity.org)
    if ((erasureSince !== undefined && number > erasureSince) || (await isScrubbedSince(tx, identity.org, now))) return
    await keepAnswer(tx, identity, hash, answer, now)
  })
}
