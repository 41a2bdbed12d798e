import { stringifyJson } from '../../contract/json.ts'
import type { Line, Segment } from '../../domain/extract/transcript.ts'
import type { Prompt } from '../llm/port.ts'
import type { Extracted } from './answers.ts'
import type { KnownFact } from './known.ts'
import type { ExtractInput } from './pipeline.ts'
import { PROMPTS } from './prompts.ts'

/** What a model is asked about one part of a transcript. What is said there goes in as JSON, and never as words of ours. */

const lineOf = ({ n, role, name, at, content }: Line) => ({ n, role, ...(name !== '' && { name }), ...(at && { at }), content })

const textOf = ({ lines, context }: Segment) => ({
  ...(context.length > 0 && { context: context.map(lineOf) }),
  transcript: lines.map(lineOf),
})

const known = (facts: readonly KnownFact[]) => facts.map(({ head, claim }) => ({ key: head.memory_key, value: claim }))

export interface Asking {
  readonly input: ExtractInput
  readonly observed: Date
  readonly known: readonly KnownFact[]
  readonly recalled: readonly KnownFact[]
}

function systemOf(input: ExtractInput, more: readonly string[]): string {
  const asked = input.extraction_instructions.trim()
  return [
    PROMPTS.extract,
    ...more,
    input.detect_updates ? PROMPTS.updates : PROMPTS.noUpdates,
    input.agent_learnings ? PROMPTS.learnings : PROMPTS.noLearnings,
    ...(asked === '' ? [] : [`${PROMPTS.instructions}${asked}`]),
  ].join('\n')
}

const day = (at: Date): string => at.toISOString().slice(0, 10)

export function extractPrompt(segment: Segment, asking: Asking, found: Extracted | null): Omit<Prompt, 'signal'> {
  const { input, observed } = asking
  const user = {
    observation_date: day(observed),
    session_values: input.session_values,
    known: known(asking.known),
    recalled: known(asking.recalled),
    ...(found && { found: found.facts.map(({ value }) => value) }),
    ...textOf(segment),
  }
  const system = systemOf(input, found ? [PROMPTS.sweep] : [])
  return { system, user: stringifyJson(user), maxTokens: input.max_tokens, json: true }
}

/** @param facts by their number */
export function judgePrompt(segment: Segment, facts: readonly string[], { input, observed }: Asking): Omit<Prompt, 'signal'> {
  const user = {
    observation_date: day(observed),
    session_values: input.session_values,
    facts: facts.map((value, n) => ({ n, value })),
    ...textOf(segment),
  }
  return { system: PROMPTS.judge, user: stringifyJson(user), maxTokens: input.max_tokens, json: true }
}

/** @param fields what the schema says of each field */
export function recordPrompt(segment: Segment, fields: unknown, { input, observed }: Asking): Omit<Prompt, 'signal'> {
  const asked = input.extraction_instructions.trim()
  const system = asked === '' ? PROMPTS.record : `${PROMPTS.record}\n${PROMPTS.instructions}${asked}`
  const user = { observation_date: day(observed), session_values: input.session_values, fields, ...textOf(segment) } as never
  return { system, user: stringifyJson(user), maxTokens: input.max_tokens, json: true }
}
