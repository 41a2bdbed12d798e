import { z } from 'zod'
import type { OpContract } from './declare.ts'

/** A JSON Schema, 2020-12. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * Patterns with Unicode property escapes, which validators outside JavaScript do not read, in plain ranges. Lone
 * surrogates need no mention: a JSON text in UTF-8 cannot hold one.
 */
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f'
const EDGE = `[^\\s\\ufeff${CONTROL}]`
const PORTABLE: Readonly<Record<string, string>> = {
  '^[^\\0\\p{Cs}]*$': '^[^\\u0000]*$',
  '^[^\\p{Cc}\\p{Cs}]*$': `^[^${CONTROL}]*$`,
  '^(?!\\s)[^\\p{Cc}\\p{Cs}]+(?<!\\s)$': `^${EDGE}([^${CONTROL}]*${EDGE})?$`,
}

const MOST_U64 = 2n ** 64n - 1n

function levelledKeyword(keyword: string, value: unknown, schema: Record<string, unknown>, io: 'input' | 'output'): unknown {
  if (keyword === 'pattern' && typeof value === 'string') return PORTABLE[value] ?? value.replaceAll('\\d', '[0-9]')
  // A request may be laxer than RFC 3339 (a date alone, no offset): its pattern says exactly what is taken.
  if (keyword === 'format' && value === 'date-time' && typeof schema.pattern === 'string') return undefined
  // The bounds of a double are no promise of ours.
  if (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER) return undefined
  if (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) return undefined
  // Later releases may add fields to an answer.
  if (keyword === 'additionalProperties' && value === false && io === 'output') return undefined
  return levelled(value, io)
}

function levelled(schema: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(schema)) return schema.map((member) => levelled(member, io))
  if (typeof schema !== 'object' || schema === null) return schema
  const from = schema as Record<string, unknown>
  const entries = Object.entries(from).map(([keyword, value]) => [keyword, levelledKeyword(keyword, value, from, io)] as const)
  const kept = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  return kept.format === 'uint64' ? { ...kept, maximum: MOST_U64 } : kept
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return levelled(rest, io) as JsonSchema
}

/**
 * Schema of a call's fields: always a plain object at the top. Unknown fields are served (and named in
 * `ignored_args`), so none are forbidden.
 * @param omit fields to leave out.
 */
export function inputSchema(contract: OpContract, omit: readonly string[] = []): JsonSchema {
  const left = Object.entries(contract.input.shape).filter(([name]) => !omit.includes(name))
  return schemaOf(z.object(Object.fromEntries(left)), 'input')
}

/** What any answer may carry besides its own fields. */
const besides = {
  ignored_args: z.array(z.string()).optional().describe('Fields of the call that the operation does not have.'),
  did_you_mean: z.record(z.string(), z.string()).optional().describe('For such a field, the one that was probably meant.'),
}

/** Schema of a successful answer. */
export function outputSchema(contract: OpContract): JsonSchema {
  return schemaOf(contract.output.extend(besides), 'output')
}

/** Schema of what is told while an operation works. */
export function progressSchema(progress: NonNullable<OpContract['progress']>): JsonSchema {
  return schemaOf(progress, 'output')
}
