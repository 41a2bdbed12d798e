import { ID5_FIELDS } from '../../shared/contract/common.ts'
import type { OpContract } from '../../shared/contract/declare.ts'
import { inputSchema } from '../../shared/contract/json-schema.ts'

/** How the text of a flag becomes a value. */
export type Reading = 'text' | 'boolean' | 'integer' | 'number' | 'json' | 'object'

/** One field of an operation as the command line offers it. */
export interface Field {
  /** Wire name, which is also the flag's. */
  readonly name: string
  readonly reading: Reading
  /** A list: the flag may be repeated, `reading` is that of one member. */
  readonly list: boolean
  readonly nullable: boolean
  readonly required: boolean
  /** The values it takes, where they are a closed set. */
  readonly choices: readonly string[]
  readonly default: unknown
  readonly about: string
  /** A lone hyphen is a value of the field ("none"), not standard input. */
  readonly hyphenIsValue: boolean
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly items?: Schema | false
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
}

const HYPHEN_FIELDS: ReadonlySet<string> = new Set([...ID5_FIELDS, 'agent_id', 'session_ids'])

/** The fields of an operation, in the order of its declaration. */
export function fieldsOf(contract: OpContract): readonly Field[] {
  const schema: Schema = inputSchema(contract)
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).map(([name, property]) => toField(name, property, required.has(name)))
}

function toField(name: string, property: Schema, required: boolean): Field {
  const { schema, nullable } = withoutNull(property)
  const list = schema.type === 'array'
  const member = list ? schema.items || {} : schema
  return {
    name,
    reading: readingOf(member),
    list,
    nullable,
    required,
    choices: (member.enum ?? []).filter((choice) => typeof choice === 'string' && choice !== '') as string[],
    default: property.default,
    about: property.description ?? '',
    hyphenIsValue: HYPHEN_FIELDS.has(name),
  }
}

function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  if (Array.isArray(schema.type)) {
    const types = (schema.type as readonly string[]).filter((type) => type !== 'null')
    return { schema: { ...schema, type: types.length === 1 ? types[0] : types }, nullable: types.length < schema.type.length }
  }
  const others = schema.anyOf?.filter((one) => one.type !== 'null')
  if (!others || others.length === schema.anyOf?.length) return { schema, nullable: false }
  return { schema: others.length === 1 && others[0] ? others[0] : { anyOf: others }, nullable: true }
}

function readingOf(schema: Schema): Reading {
  if (schema.type === 'string' || schema.enum) return 'text'
  if (schema.type === 'boolean' || schema.type === 'integer' || schema.type === 'number') return schema.type
  if (schema.type === 'object' || schema.type === 'array') return 'object'
  // A 64-bit version is an integer or its text.
  if (schema.anyOf?.some((one) => one.type === 'integer')) return 'integer'
  return schema.anyOf?.every((one) => one.type === 'string') ? 'text' : 'json'
}
