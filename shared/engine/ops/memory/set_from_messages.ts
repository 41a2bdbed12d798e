import { v7 } from 'uuid'
import { LoomError } from '../../../contract/errors.ts'
import { memorySetFromMessages as contract } from '../../../contract/ops/memory/set_from_messages.ts'
import { SEGMENT_CHARACTERS } from '../../../domain/extract/transcript.ts'
import { observedAt, readTranscript, stagesOf, type Clocked, type ExtractAnswer, type ExtractInput } from '../../extract/pipeline.ts'
import { extractRecord } from '../../extract/record.ts'
import { forgetFacts, storeFacts, storeLearnings } from '../../extract/store-facts.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'
import { ModelFailure, type LanguageModel } from '../../llm/port.ts'
import { enqueue, EXTRACT } from '../../store/extract-queue.ts'
import { transact } from '../../transact.ts'

/** As many parts as a model is asked about in one call: 2.4 million characters. */
const MOST_SEGMENTS = 100

const nothing = (model: LanguageModel | null): ExtractAnswer => ({
  written: [],
  refused: [],
  forgotten_keys: [],
  value_updates_linked: 0,
  learning_candidates: [],
  record: null,
  deferred: false,
  queue_id: '',
  next: '',
  segments: 0,
  llm_provider: model?.provider ?? '',
  llm_model: model?.model ?? '',
  tokens_in: 0,
  tokens_out: 0,
  stage_ms: {},
  ignored_args: [],
  degraded: [],
})

/** @throws LoomError INVALID_ARGUMENT */
function check({ record_schema, memory_key, messages }: ExtractInput): void {
  if ((record_schema === '') !== (memory_key === '')) {
    const field = record_schema === '' ? 'record_schema' : 'memory_key'
    throw new LoomError('INVALID_ARGUMENT', `${field}: record_schema and memory_key are named together, to extract one record.`, { field })
  }
  const characters = messages.reduce((sum, message) => sum + message.content.length, 0)
  if (characters > MOST_SEGMENTS * SEGMENT_CHARACTERS) {
    throw new LoomError(
      'INVALID_ARGUMENT',
      `messages: ${characters} characters are more than the ${MOST_SEGMENTS * SEGMENT_CHARACTERS} of one call. Send the transcript in parts.`,
      { field: 'messages' },
    )
  }
}

function clockOf(stages: Record<string, number>, clock: () => number): Clocked {
  return async (stage, work) => {
    const from = clock()
    try {
      return await work()
    } finally {
      stages[stage] = Math.round((stages[stage] ?? 0) + Math.max(0, clock() - from))
    }
  }
}

async function extractFacts(
  ...[input, steps, model, clocked, context]: Parameters<typeof readTranscript>
): Promise<Partial<ExtractAnswer>> {
  const reading = await readTranscript(input, steps, model, clocked, context)
  const options = { observed: observedAt(input, context.now), links: steps.has('link') }
  const stored = await clocked('write', () => storeFacts(reading, input, options, context))
  const forgotten_keys = await forgetFacts(reading, context)
  return { ...stored, forgotten_keys, learning_candidates: await storeLearnings(reading, input, context), segments: reading.segments }
}

async function extract(input: ExtractInput, model: LanguageModel, context: PrepareContext): Promise<ExtractAnswer> {
  const answer = nothing(model)
  const spent = { tokensIn: 0, tokensOut: 0 }
  const clocked = clockOf(answer.stage_ms, () => performance.now())
  const steps = stagesOf(input, context)
  const asked = { model, cached: input.llm_cache, spent }
  try {
    if (input.record_schema !== '') Object.assign(answer, await extractRecord(input, steps, asked, clocked, context))
    else Object.assign(answer, await extractFacts(input, steps, asked, clocked, context))
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    context.parts.log.warn({ err: error, op: contract.name, request_id: context.caller.requestId }, 'the language model gave no answer')
    context.degraded.add('llm')
    answer.next = 'memory.set'
  }
  return { ...answer, tokens_in: spent.tokensIn, tokens_out: spent.tokensOut, degraded: [...context.degraded] }
}

export const memorySetFromMessages = defineBatch(contract, async (input, context): Promise<ExtractAnswer> => {
  check(input)
  const { llm } = context.parts
  if (llm === null) return { ...nothing(null), next: 'memory.set', degraded: ['llm'] }
  if (!input.defer) return extract(input, llm, context)
  const answer = { ...nothing(llm), deferred: true, queue_id: v7() }
  await transact(context, async ({ tx }) => {
    await enqueue(tx, answer.queue_id, input, context)
    return answer
  })
  context.parts.wake(EXTRACT)
  return answer
})
