import { z } from 'zod'
import { Entity, Str } from '../../contract/common.ts'
import { ModelFailure } from '../llm/port.ts'

/** What a model answered, as far as it can be read. It is input from outside: fields that are not named here do not exist. */

const MOST_FACTS = 200
const MOST_LABELS = 16
const LONGEST_FACT = 4000

const text = (most: number) => Str.trim().min(1).max(most)
/** A list of which what cannot be read is left out. */
const listOf = <S extends z.ZodType>(item: S, most: number) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.slice(0, most).flatMap((raw) => {
        const read = item.safeParse(raw)
        return read.success ? [read.data] : []
      }),
    )

const Fact = z.object({
  key: z.string().catch(''),
  value: text(LONGEST_FACT),
  quote: z.string().catch(''),
  entities: listOf(Entity, MOST_LABELS).default([]),
  tags: listOf(text(128), MOST_LABELS).default([]),
  valid_at: z.string().max(40).catch('').default(''),
})
export type Fact = z.output<typeof Fact>

const Answer = z.object({
  facts: z.array(z.unknown()).pipe(listOf(Fact, MOST_FACTS)),
  forget: listOf(z.object({ key: text(512), quote: text(4000) }), MOST_FACTS).default([]),
  learnings: listOf(z.object({ lesson: text(2000), situation: Str.max(1000).catch(''), quote: text(4000) }), MOST_FACTS).default([]),
})

export type Extracted = z.output<typeof Answer>

/** The JSON object in an answer, which models like to wrap in words or fences. */
function objectIn(answer: string): unknown {
  const [from, to] = [answer.indexOf('{'), answer.lastIndexOf('}')]
  if (from >= 0 && to > from) {
    try {
      return JSON.parse(answer.slice(from, to + 1))
    } catch {
      // falls through to the one refusal
    }
  }
  throw new ModelFailure('the model did not answer with a JSON object')
}

function read<S extends z.ZodType>(schema: S, answer: string): z.output<S> {
  const parsed = schema.safeParse(objectIn(answer))
  if (parsed.success) return parsed.data
  throw new ModelFailure('the model answered with another object than the one asked for')
}

/** @throws ModelFailure for an answer of another form; single facts that cannot be read are left out */
export function readExtracted(answer: string): Extracted {
  return read(Answer, answer)
}

/** Numbers of the facts that are supported. @throws ModelFailure */
export function readSupported(answer: string): Set<number> {
  return new Set(read(z.object({ supported: z.array(z.int()) }), answer).supported)
}

/** The text of a summary. @throws ModelFailure */
export function readSummary(answer: string): string {
  return read(z.object({ summary: Str.trim().min(1) }), answer).summary
}

/** Fields of one record. @throws ModelFailure */
export function readFields(answer: string): Readonly<Record<string, unknown>> {
  return read(z.object({ fields: z.record(z.string(), z.unknown()) }), answer).fields
}
