import type { Input, Output } from '../../contract/declare.ts'
import type { memorySetFromMessages } from '../../contract/ops/memory/set_from_messages.ts'
import { isQuoted, saidIn, type Said } from '../../domain/extract/forgetting.ts'
import { segmentsOf, type Segment } from '../../domain/extract/transcript.ts'
import type { PrepareContext } from '../handler.ts'
import { askModel, type Spent } from '../llm/ask.ts'
import type { LanguageModel } from '../llm/port.ts'
import { readExtracted, readSupported, type Extracted, type Fact } from './answers.ts'
import { factsUnder, knownNear, type KnownFact } from './known.ts'
import { extractPrompt, judgePrompt, type Asking } from './prompting.ts'

export type ExtractInput = Input<typeof memorySetFromMessages>
export type ExtractAnswer = Output<typeof memorySetFromMessages>
export type Step = 'extract' | 'judge' | 'sweep' | 'link'

/** A fact that a model named, and whether the transcript says it. */
export interface Candidate {
  readonly fact: Fact
  readonly supported: boolean
}

/** What the model made of a transcript, before anything is written. */
export interface Reading {
  readonly candidates: readonly Candidate[]
  readonly forget: readonly { readonly fact: KnownFact; readonly quote: string; readonly said: readonly Said[] }[]
  readonly learnings: readonly { readonly lesson: string; readonly situation: string }[]
  readonly recalled: readonly KnownFact[]
  readonly segments: number
}

/** How long each stage took, in milliseconds. */
export type Clocked = <T>(stage: string, work: () => Promise<T>) => Promise<T>

export function stagesOf(input: ExtractInput, context: Pick<PrepareContext, 'parts'>): Set<Step> {
  const byFlags: Step[] = [
    'extract',
    ...(input.judge_extraction ? ['judge' as const] : []),
    ...(input.coverage_sweep ? ['sweep' as const] : []),
    ...(input.detect_updates ? ['link' as const] : []),
  ]
  const steps = new Set<Step>(input.pipeline_steps ?? byFlags)
  // The linker is the owner's to switch on (EXT003).
  if (!context.parts.config.extractValueUpdates) steps.delete('link')
  return steps
}

export function observedAt(input: ExtractInput, now: Date): Date {
  const told = input.observation_date ?? input.messages.at(-1)?.at
  return told === undefined ? now : new Date(told)
}

export interface Model {
  readonly model: LanguageModel
  readonly cached: boolean
  readonly spent: Spent
}

export const askOf =
  ({ model, cached, spent }: Model, context: PrepareContext) =>
  (prompt: Parameters<typeof askModel>[1]): Promise<string> =>
    askModel(model, prompt, { cached, spent }, context)

function joined(first: Extracted, more: Extracted): Extracted {
  const values = new Set(first.facts.map(({ value }) => value))
  return { ...first, facts: [...first.facts, ...more.facts.filter(({ value }) => !values.has(value))] }
}

async function readSegment(
  segment: Segment,
  asking: Asking,
  steps: ReadonlySet<Step>,
  model: Model,
  clocked: Clocked,
  context: PrepareContext,
): Promise<{ extracted: Extracted; candidates: Candidate[]; said: Said[] }> {
  const ask = askOf(model, context)
  const first = await clocked('extract', async () => readExtracted(await ask(extractPrompt(segment, asking, null))))
  const swept = async (): Promise<Extracted> => joined(first, readExtracted(await ask(extractPrompt(segment, asking, first))))
  const extracted = steps.has('sweep') ? await clocked('sweep', swept) : first
  const said = saidIn(segment.lines)
  // What nobody said is no fact, whatever a model answers; what a system prompt orders is none either.
  const spoken = said.filter(({ role }) => role !== 'system')
  const quoted = extracted.facts.map((fact) => ({ fact, supported: isQuoted(fact.quote, spoken) }))
  const standing = quoted.filter(({ supported }) => supported)
  if (!steps.has('judge') || standing.length === 0) return { extracted, candidates: quoted, said }
  const values = standing.map(({ fact }) => fact.value)
  const kept = await clocked('judge', async () => readSupported(await ask(judgePrompt(segment, values, asking))))
  const upheld = new Set(standing.filter((_one, n) => kept.has(n)))
  return { extracted, candidates: quoted.map((one) => ({ ...one, supported: upheld.has(one) })), said }
}

/**
 * Asks the model about every part of a transcript. Nothing is written: a model that fails midway leaves nothing behind.
 * @throws ModelFailure
 */
export async function readTranscript(
  input: ExtractInput,
  steps: ReadonlySet<Step>,
  model: Model,
  clocked: Clocked,
  context: PrepareContext,
): Promise<Reading> {
  const recalled = await factsUnder(input.recalled_keys, context)
  const segments = segmentsOf(input.messages, input.last_messages)
  const candidates: Candidate[] = []
  const forget: Reading['forget'][number][] = []
  const learnings: Reading['learnings'][number][] = []
  for (const segment of steps.has('extract') ? segments : []) {
    const topic = segment.lines.map(({ content }) => content).join('\n')
    const known = await clocked('recall', () => knownNear(topic, context))
    const asking: Asking = { input, observed: observedAt(input, context.now), known, recalled }
    const read = await readSegment(segment, asking, steps, model, clocked, context)
    candidates.push(...read.candidates)
    for (const { key, quote } of read.extracted.forget) {
      const fact = known.find(({ head }) => head.memory_key === key)
      if (fact) forget.push({ fact, quote, said: read.said })
    }
    const spoken = read.said.filter(({ role }) => role !== 'system')
    if (input.agent_learnings) learnings.push(...read.extracted.learnings.filter(({ quote }) => isQuoted(quote, spoken)))
  }
  return { candidates, forget, learnings, recalled, segments: segments.length }
}
